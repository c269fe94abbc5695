import { type Db, isPostgres, readPrepared, type Tx, writePrepared } from '../core/db/database.ts'
import type { Outdated } from '../core/db/sweep.ts'
import { int, type Row, table, text, time } from '../core/db/table.ts'
import type { PersonalData } from '../core/personal-data.ts'
import { type Count, others } from './rules.ts'
import type { Segment } from './zones.ts'

const statistics = table('statistic', { day: text, measure: text, key: text, amount: int })
const activityColumns = { period: text, clientId: text, userId: text, endsOn: text }
const activities = table('activity', activityColumns)
export type ActivityRow = Row<typeof activityColumns>
const progressColumns = { id: text, position: int, through: time }
const progress = table('statistic_progress', progressColumns)
export type Progress = Row<typeof progressColumns>

/** The position up to which events are counted. Undefined if none has been counted. */
export const findProgress = (db: Db, id: string): Promise<Progress | undefined> => progress.find(db, { id })

/** Stores a new position. Returns false if another node has counted events meanwhile. */
export const moveProgress = async (tx: Tx, from: Progress | undefined, to: Progress): Promise<boolean> => {
  const { id, ...place } = to
  if (from !== undefined) return progress.updateOne(tx, { id, position: from.position }, place)
  const made: unknown[] = await tx.knex(progress.name).insert(progress.encode(to)).onConflict('id').ignore().returning('id')
  return made.length === 1
}

/** The measures and keys that are stored for some days. */
export const listKeys = async (db: Db, days: readonly string[]): Promise<readonly Omit<Count, 'amount'>[]> =>
  (await statistics.findAll(db, 'day', days)).map(({ day, measure, key }) => ({ day, measure, key }))

/** The first day, or half hour, for which a number is stored. Undefined if there is none. */
export const findFirstDay = async (db: Db): Promise<string | undefined> =>
  (await db.knex(statistics.name).min({ day: 'day' }).first())?.['day'] ?? undefined

/** The numbers for some days of measures that are not divided by keys. */
export const listPlainCounts = async (db: Db, days: readonly string[], names: readonly string[]): Promise<readonly Count[]> => {
  const rows: Record<string, unknown>[] = await db
    .knex(statistics.name)
    .select(statistics.names)
    .whereIn('day', [...days])
    .whereIn('measure', names)
    .where('key', '')
    .orderBy(['day', 'measure'])
  return rows.map((row) => statistics.decode(row))
}

interface KeyedCounts {
  /** The requested days, and which half hours each contains. */
  readonly days: readonly string[]
  readonly segments: readonly Segment[]
  readonly names: readonly string[]
  /** Names of measures whose half hours are not added up. For these, the highest number of a day counts. */
  readonly highest: readonly string[]
  /** How many keys of a measure are listed separately at most. */
  readonly mostKeys: number
}

/** A number for a day, and whether that day was counted in UTC. */
export interface DayCount extends Count {
  readonly isWhole: boolean
}

/** Finds the day of each stored half hour in the time zone, and adds the numbers that were stored for whole days. */
const found = {
  postgres: `with segment as (select * from json_to_recordset(?::json) as one(begins text, ends text, minutes int)),
found as (
  select to_char(s.day::timestamp + make_interval(mins => segment.minutes), 'YYYY-MM-DD') as day, measure, "key", amount, 0 as whole
  from segment join statistic s on s.day >= segment.begins and s.day < segment.ends and s.day >= ? and s.day < ? and length(s.day) > 10
  union all select day, measure, "key", amount, 1 from statistic where day = any(array(select json_array_elements_text(?::json)))
),`,
  sqlite: `with segment as (select value ->> '$.begins' as begins, value ->> '$.ends' as ends, value ->> '$.minutes' as minutes from json_each(?)),
found as (
  select date(s.day, segment.minutes || ' minutes') as day, measure, "key", amount, 0 as whole
  from segment cross join statistic s on s.day >= segment.begins and s.day < segment.ends and s.day >= ? and s.day < ? and length(s.day) > 10
  union all select day, measure, "key", amount, 1 from statistic where day in (select value from json_each(?))
),`,
}

/**
 * The numbers by day. For each measure, the keys with the largest totals are listed separately. All other keys are added up under
 * `others`, so that the number of rows is limited, however many keys are stored.
 */
export const listCounts = async (
  db: Db,
  { days, segments, names, highest, mostKeys }: KeyedCounts,
): Promise<readonly DayCount[]> => {
  const many = (list: readonly string[]) => `(${list.map(() => '?').join(', ')})`
  const merged = `case when measure in ${many(highest)} then max(amount) else sum(amount) end`
  // With this collation, PostgreSQL sorts keys in the same order as SQLite.
  const byKey = isPostgres(db) ? '"key" collate "C"' : '"key"'
  const sql = `${found[isPostgres(db) ? 'postgres' : 'sqlite']}
chosen as (select * from found where measure in ${many(names)}),
totals as (select measure, "key", ${merged} as total from chosen where "key" <> ? group by measure, "key"),
places as (select measure, "key", row_number() over (partition by measure order by total desc, ${byKey}) as place from totals),
named as (select measure, "key" from places where place <= ${mostKeys}),
shown as (select day, measure, case when (measure, "key") in (select measure, "key" from named) then "key" else ? end as shown_key, amount, whole from chosen)
select day, measure, shown_key as "key", ${merged} as amount, max(whole) as whole from shown group by day, measure, shown_key order by day, measure, shown_key`
  const bounds = [segments[0]?.begins, segments.at(-1)?.ends]
  const values = [JSON.stringify(segments), ...bounds, JSON.stringify(days), ...names, ...highest, others, others, ...highest]
  const rows = await readPrepared(db, { name: 'statistic_counts', sql }, values)
  return rows.map((row) => ({ ...statistics.decode(row), isWhole: int.decode(row['whole']) === 1 }))
}

const source = {
  postgres: 'select r.day, r.measure, r."key", r.amount from json_populate_recordset(null::statistic, ?::json) r where true',
  sqlite: "select value ->> '$.day', value ->> '$.measure', value ->> '$.key', value ->> '$.amount' from json_each(?) where true",
}
/** How to combine a new number with the stored one. */
const merging = {
  add: { postgres: 'statistic.amount + excluded.amount', sqlite: 'statistic.amount + excluded.amount' },
  highest: { postgres: 'greatest(statistic.amount, excluded.amount)', sqlite: 'max(statistic.amount, excluded.amount)' },
}

/** Adds to the stored numbers, or keeps the higher of both. Each combination of day, measure and key may occur only once. */
export const writeCounts = async (tx: Tx, counts: readonly Count[], how: keyof typeof merging): Promise<void> => {
  if (counts.length === 0) return
  const dialect = isPostgres(tx) ? 'postgres' : 'sqlite'
  const target = 'insert into statistic (day, measure, "key", amount)'
  const merged = `on conflict (day, measure, "key") do update set amount = ${merging[how][dialect]}`
  await writePrepared(tx, { name: `statistic_${how}`, sql: `${target} ${source[dialect]} ${merged}` }, [JSON.stringify(counts)])
}

/**
 * On PostgreSQL, the statement waits if a user is just being deleted, and then leaves that user out. Otherwise the foreign key would
 * refuse all rows.
 */
const insertActivity = {
  postgres:
    'insert into activity (period, client_id, user_id, ends_on) select r.period, r.client_id, r.user_id, r.ends_on from json_populate_recordset(null::activity, ?::json) r join "user" u on u.id = r.user_id for key share of u on conflict do nothing returning period, client_id, user_id, ends_on',
  sqlite:
    "insert into activity (period, client_id, user_id, ends_on) select value ->> '$.period', value ->> '$.client_id', value ->> '$.user_id', value ->> '$.ends_on' from json_each(?) where exists (select 1 from \"user\" u where u.id = value ->> '$.user_id') on conflict do nothing returning period, client_id, user_id, ends_on",
}

/** Inserts the rows that are not stored yet, for users who exist. Returns these rows. */
export const insertActivities = async (tx: Tx, rows: readonly ActivityRow[]): Promise<readonly ActivityRow[]> => {
  if (rows.length === 0) return []
  const sql = isPostgres(tx) ? insertActivity.postgres : insertActivity.sqlite
  const values = JSON.stringify(rows.map((row) => activities.encode(row)))
  return (await writePrepared(tx, { name: 'activity_insert', sql }, [values])).map((row) => activities.decode(row))
}

/** A condition for numbers of days before `day`. */
export const countsBefore = (day: string): Outdated => ({
  table: statistics.name,
  key: ['day', 'measure', 'key'],
  choose: (rows) => rows.where('day', '<', day),
})

/** A condition for rows about users who were active in periods that ended before `day`. */
export const activitiesBefore = (day: string): Outdated => ({
  table: activities.name,
  key: ['period', 'client_id', 'user_id'],
  choose: (rows) => rows.where('ends_on', '<', day),
})

/** The rows about one user, which the user can download. There are few: those of recent days, and of the present week and month. */
export const ownActivities: PersonalData = {
  name: 'activity',
  tables: [activities.name],
  read: async function* (db, { id }) {
    const rows = await activities.list(db, { userId: id }, { orderBy: 'period' })
    for (const { period, clientId } of rows) yield { period, clientId: clientId === '' ? null : clientId }
  },
}
