package dev.reprise.faults;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.X509TrustManager;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;

/** Two certificates for localhost: one that the clients of tests trust, and one that no one does. */
public final class Certificates {
    private static final HeldCertificate GOOD = certificate();
    private static final HandshakeCertificates GOOD_SERVER =
            new HandshakeCertificates.Builder().heldCertificate(GOOD).build();
    private static final HandshakeCertificates BAD_SERVER =
            new HandshakeCertificates.Builder().heldCertificate(certificate()).build();
    private static final HandshakeCertificates CLIENT = new HandshakeCertificates.Builder()
            .addTrustedCertificate(GOOD.certificate())
            .build();

    private Certificates() {}

    private static HeldCertificate certificate() {
        return new HeldCertificate.Builder()
                .addSubjectAlternativeName("localhost")
                .build();
    }

    /** The certificates that a client trusts. */
    public static HandshakeCertificates trusting() {
        return CLIENT;
    }

    /** The TLS of a client that trusts the good certificate. */
    public static SSLContext clientContext() {
        return CLIENT.sslContext();
    }

    /** The trust manager of such a client. */
    public static X509TrustManager trustManager() {
        return CLIENT.trustManager();
    }

    /** The certificate of a good server. */
    public static HandshakeCertificates server() {
        return GOOD_SERVER;
    }

    /** Sockets of a server with the good certificate. */
    public static ServerSocketFactory sockets() {
        return GOOD_SERVER.sslContext().getServerSocketFactory();
    }

    /** Sockets of a server whose certificate is not trusted. */
    static ServerSocketFactory untrusted() {
        return BAD_SERVER.sslContext().getServerSocketFactory();
    }

    /** A server's treatment of a connection instead of a handshake. */
    interface Failure {
        void of(Socket connection) throws IOException;
    }

    /** Sockets of a server with a {@code failure} in place of the first handshake, which is good from then on. */
    static ServerSocketFactory failingOnce(Failure failure) {
        return new FailingOnce(GOOD_SERVER.sslContext(), failure);
    }

    private static final class FailingOnce extends ServerSocketFactory {
        private final SSLContext tls;
        private final Failure failure;

        FailingOnce(SSLContext tls, Failure failure) {
            this.tls = tls;
            this.failure = failure;
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog, InetAddress address) throws IOException {
            return new ServerSocket(port, backlog, address) {
                private boolean isFirst = true;

                @Override
                public Socket accept() throws IOException {
                    if (isFirst) failure.of(super.accept());
                    isFirst = false;
                    Socket plain = super.accept();
                    var secure = (javax.net.ssl.SSLSocket)
                            tls.getSocketFactory().createSocket(plain, null, plain.getPort(), true);
                    secure.setUseClientMode(false);
                    return secure;
                }
            };
        }

        @Override
        public ServerSocket createServerSocket(int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSocket createServerSocket(int port, int backlog) {
            throw new UnsupportedOperationException();
        }
    }
}
