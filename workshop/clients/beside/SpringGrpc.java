import dev.reprise.core.RetryPolicy;
import dev.reprise.grpc.RetryClientInterceptor;
import dev.reprise.java.JavaRetrier;
import io.grpc.ClientInterceptor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.grpc.client.GlobalClientInterceptor;
import org.springframework.grpc.client.GrpcChannelBuilderCustomizer;
import org.springframework.grpc.client.GrpcChannelFactory;

/** The interceptor as a bean of Spring Boot's, in a channel that Spring gRPC makes. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
class SpringGrpc {
    @Bean
    @GlobalClientInterceptor
    ClientInterceptor retries() {
        return new RetryClientInterceptor(JavaRetrier.of(RetryPolicy.STANDARD));
    }

    @Bean
    GrpcChannelBuilderCustomizer<?> noOwnRetries() {
        return GrpcChannelBuilderCustomizer.matching(".*", channel -> channel.maxRetryAttempts(0));
    }

    public static void main(String[] arguments) throws Exception {
        try (FlakyGrpc server = new FlakyGrpc();
                var context = SpringApplication.run(SpringGrpc.class, "--spring.main.banner-mode=off", "--logging.level.root=warn")) {
            server.check(context.getBean(GrpcChannelFactory.class).createChannel(server.target()));
        }
    }
}
