import type { Knex } from 'knex'

/** Numbers of half hours, from which the days of any time zone are made. Earlier numbers stay as they are: for whole days in UTC. */
export const up = async (knex: Knex): Promise<void> => {
  // SQLite ignores the length of a column, and knex would write the table again there.
  if (knex.client.dialect === 'postgresql') await knex.raw('alter table statistic alter column day type varchar(16)')
}

/** The half hours of a day in UTC are added up to that day. */
export const down = async (knex: Knex): Promise<void> => {
  await knex.raw(`insert into statistic (day, measure, "key", amount)
    select substr(day, 1, 10), measure, "key", case when measure in ('queue_lag', 'webhook_lag') then max(amount) else sum(amount) end
    from statistic where length(day) > 10 group by substr(day, 1, 10), measure, "key"
    on conflict (day, measure, "key") do update set amount = case when statistic.measure in ('queue_lag', 'webhook_lag')
      then case when statistic.amount > excluded.amount then statistic.amount else excluded.amount end
      else statistic.amount + excluded.amount end`)
  await knex('statistic').whereRaw('length(day) > 10').delete()
  if (knex.client.dialect === 'postgresql') await knex.raw('alter table statistic alter column day type varchar(10)')
}
