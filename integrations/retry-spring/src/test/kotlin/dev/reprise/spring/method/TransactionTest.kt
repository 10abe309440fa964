package dev.reprise.spring.method

import dev.reprise.spring.Retry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.aop.framework.Advised
import org.springframework.context.annotation.Bean
import org.springframework.context.annotation.Configuration
import org.springframework.jdbc.core.JdbcTemplate
import org.springframework.jdbc.datasource.DataSourceTransactionManager
import org.springframework.jdbc.datasource.DriverManagerDataSource
import org.springframework.transaction.annotation.EnableTransactionManagement
import org.springframework.transaction.annotation.Transactional
import org.springframework.transaction.support.TransactionSynchronization
import org.springframework.transaction.support.TransactionSynchronizationManager
import java.net.ConnectException
import javax.sql.DataSource

@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
open class Database {
    @Bean
    open fun dataSource(): DataSource = DriverManagerDataSource("jdbc:h2:mem:orders;DB_CLOSE_DELAY=-1")

    @Bean
    open fun transactions(source: DataSource) = DataSourceTransactionManager(source)

    @Bean
    open fun jdbc(source: DataSource) =
        JdbcTemplate(source).also { it.execute("create table orders(id int primary key)") }
}

open class Orders(private val jdbc: JdbcTemplate) {
    var calls = 0
    var rollbacks = 0

    @Retry("four")
    @Transactional(rollbackFor = [Exception::class])
    open fun place(id: Int) {
        TransactionSynchronizationManager.registerSynchronization(
            object : TransactionSynchronization {
                override fun afterCompletion(status: Int) {
                    if (status == TransactionSynchronization.STATUS_ROLLED_BACK) rollbacks++
                }
            },
        )
        jdbc.update("insert into orders values (?)", id)
        if (++calls < 3) throw ConnectException("after the insert")
    }
}

class TransactionTest :
    FunSpec({
        test("each attempt has a transaction of its own: two are rolled back, one row is there") {
            contextOf(Database::class.java, Orders::class.java).use { context ->
                val orders = context.getBean(Orders::class.java)

                orders.place(7)

                val target = targetOf(orders)
                target.calls shouldBe 3
                target.rollbacks shouldBe 2
                context.getBean(JdbcTemplate::class.java)
                    .queryForObject("select count(*) from orders where id = 7", Int::class.java) shouldBe 1
                (orders as Advised).advisors.first().advice.javaClass shouldBe RetryAdvice::class.java
            }
        }
    })
