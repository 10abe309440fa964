package dev.reprise.spring.method

import dev.reprise.core.RetryEvent
import dev.reprise.core.SqlErrors
import dev.reprise.spring.Retry
import dev.reprise.spring.RetryConfigurer
import dev.reprise.spring.RetryRegistry
import io.kotest.core.spec.style.FunSpec
import io.kotest.matchers.shouldBe
import org.springframework.aop.framework.Advised
import org.springframework.context.annotation.AnnotationConfigApplicationContext
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
import java.sql.DriverManager
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

/** `@Transactional` alone. */
@Configuration(proxyBeanMethods = false)
@EnableTransactionManagement
open class Transactions

private val SQL = FOUR.with { classifyFirst(SqlErrors) }

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

/** Changes a row that another transaction holds. */
open class Stock(private val jdbc: JdbcTemplate) {
    var calls = 0

    @Retry("sql")
    @Transactional
    open fun take(id: Int) {
        calls++
        jdbc.update("update stock set amount = amount - 1 where id = ?", id)
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

        test("a transaction that a lock of another one ends is made again, and its row changes once") {
            val locked = "jdbc:h2:mem:stock;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=1"
            DriverManager.getConnection(locked).use { other ->
                other.createStatement().execute("create table stock(id int primary key, amount int)")
                other.createStatement().execute("insert into stock values (1, 10)")
                other.autoCommit = false
                other.createStatement().execute("update stock set amount = amount - 2 where id = 1")
                val releases = RetryConfigurer { _, builder ->
                    builder.listener { if (it is RetryEvent.RetryScheduled) other.commit() }
                }
                AnnotationConfigApplicationContext().use { context ->
                    context.registerBean(RetryRegistry::class.java, mapOf("sql" to SQL), listOf(releases))
                    val source = DriverManagerDataSource(locked)
                    context.registerBean(DataSourceTransactionManager::class.java, source as Any)
                    context.registerBean(JdbcTemplate::class.java, source as Any)
                    context.register(RepriseConfiguration::class.java, Transactions::class.java, Stock::class.java)
                    context.refresh()
                    val stock = context.getBean(Stock::class.java)

                    stock.take(1)

                    targetOf(stock).calls shouldBe 2
                    context.getBean(JdbcTemplate::class.java)
                        .queryForObject("select amount from stock where id = 1", Int::class.java) shouldBe 7
                }
            }
        }
    })
