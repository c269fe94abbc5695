/**
 * `node bench/admin-lists.ts` measures the administrative lists with many users and events, and with 1,000 of each, in the same run. The
 * result is the ratio of their times. The goal is 1.5.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { databases, type Rows, type Server, startAmong } from './targets/many-rows.ts'
import type { Target } from './targets/targets.ts'

const { values } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    events: { type: 'string', default: '2000000' },
    rounds: { type: 'string', default: '60' },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
  },
})
const small = { users: 1_000, events: 1_000 }
const goal = 1.5

/** The measured calls. `deep` measures the page after the hundredth cursor. */
const calls: readonly { readonly path: string; readonly deep?: true }[] = [
  { path: '/admin/users' },
  { path: '/admin/users?sort=name&order=asc' },
  { path: '/admin/users?role=support&limit=1' },
  { path: '/admin/users?banned=true&limit=2' },
  { path: '/admin/users?verified=false' },
  { path: '/admin/users?search=member' },
  { path: '/admin/users?search=m77@' },
  // Searches for a part of a word. The part occurs in every row, in one of a thousand rows, in one of a hundred, in few rows, or in no
  // row. The last search has two words: one occurs in every row, but no row has both.
  { path: '/admin/users?search=ember' },
  { path: '/admin/users?search=ember&limit=10', deep: true },
  { path: '/admin/users?search=977@example977&limit=1' },
  { path: '/admin/users?search=ame999&limit=1' },
  { path: '/admin/users?search=ame99&limit=10' },
  { path: '/admin/users?search=99977&limit=1' },
  { path: '/admin/users?search=zqzq' },
  { path: '/admin/users?search=ember%20zqzq' },
  { path: '/admin/users?limit=10', deep: true },
  { path: '/admin/sessions' },
  { path: '/admin/sessions?ipAddress=198.51.7.7&limit=1' },
  { path: '/admin/sessions?limit=10', deep: true },
  { path: '/admin/events' },
  { path: '/admin/events?type=session.started' },
  { path: '/admin/events?type=session.started&address=198.51.7.8&limit=1' },
  { path: '/admin/events?limit=10', deep: true },
  { path: '/admin/organizations' },
  { path: '/admin/organizations?search=team' },
  { path: '/admin/organizations?search=eam' },
  { path: '/admin/organizations?search=ame99&limit=1' },
  { path: '/admin/organizations?search=zqzq' },
  { path: '/admin/organizations?limit=1', deep: true },
  { path: '/admin/clients?limit=5' },
  { path: '/admin/clients?search=app&limit=5' },
  { path: '/admin/clients?search=app&sort=name&limit=5' },
  { path: '/admin/clients?type=web&limit=5' },
  { path: '/admin/clients?disabled=true&limit=1' },
  { path: '/admin/billing/customers' },
  { path: '/admin/billing/customers?email=m77@example.com' },
  { path: '/admin/billing/customers?search=ember' },
  { path: '/admin/billing/customers?search=99977@&limit=1' },
  { path: '/admin/billing/customers?search=zqzq' },
  { path: '/admin/billing/customers?unlinked=true&limit=20' },
  { path: '/admin/billing/customers?limit=1', deep: true },
  { path: '/admin/billing/deliveries' },
  { path: '/admin/billing/deliveries?type=order.refunded&limit=5' },
  { path: '/admin/billing/deliveries?verdict=quarantined&limit=5' },
  { path: '/admin/billing/deliveries?verdict=accepted' },
  { path: '/admin/billing/deliveries?customerId=k2654435761&limit=5' },
  { path: '/admin/billing/deliveries?limit=10', deep: true },
  { path: '/admin/list-users?limit=50' },
  { path: '/admin/list-users?limit=50&offset=900' },
  { path: '/admin/list-users?searchValue=m77@&searchOperator=starts_with&limit=50' },
]

const ask = async (
  { target, cookie }: Server,
  path: string,
): Promise<{ readonly ms: number; readonly next: string | undefined }> => {
  const began = performance.now()
  const response = await fetch(target.origin + path, { headers: { cookie } })
  const body = (await response.json()) as { next?: string | null }
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${JSON.stringify(body)}`)
  return { ms: performance.now() - began, next: body.next ?? undefined }
}

/** The path of the page after the hundredth cursor, or of the last page if the list is shorter. */
const deepOf = async (server: Server, path: string): Promise<string> => {
  let deep = path
  for (let page = 0; page < 99; page += 1) {
    const { next } = await ask(server, deep)
    if (next === undefined) return deep
    deep = `${path}&after=${encodeURIComponent(next)}`
  }
  return deep
}

/** The lower quartile of the times. The median would be too high on a machine that does other work. */
const quartile = (times: readonly number[]) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 4)] ?? Number.NaN

const measure = async (servers: readonly [Server, Server], call: (typeof calls)[number]) => {
  const times: [number[], number[]] = [[], []]
  const paths = await Promise.all(servers.map((server) => (call.deep === true ? deepOf(server, call.path) : call.path)))
  for (let round = 0; round < Number(values.rounds); round += 1)
    for (const [i, server] of servers.entries()) times[i]?.push((await ask(server, paths[i] ?? call.path)).ms)
  const [few, many] = [quartile(times[0]), quartile(times[1])]
  const ratio = many / few
  const name = `${call.path}${call.deep === true ? ', hundredth cursor' : ''}`
  process.stdout.write(
    `| \`${name}\` | ${few.toFixed(1)} | ${many.toFixed(1)} | ${ratio.toFixed(2)} | ${ratio <= goal ? 'met' : 'NOT MET'} |\n`,
  )
}

const large = { users: Number(values.users), events: Number(values.events) }
for (const name of values.database) {
  const dir = mkdtempSync(join(tmpdir(), 'gatehouse-bench-lists-'))
  const { urlOf, stop } = await databases(name, dir)
  const started: Target[] = []
  try {
    const open = async (owner: string, size: Rows) => {
      const server = await startAmong(await urlOf(owner), join(dir, owner), size)
      started.push(server.target)
      return server
    }
    const servers = [await open('few', small), await open('many', large)] as const
    process.stdout.write(`\n## ${name}: ${large.users} users, ${large.events} events\n\n`)
    process.stdout.write('| call | ms of 1,000 | ms of many | ratio | goal 1.5 |\n|---|---:|---:|---:|---|\n')
    for (const call of calls) await measure([...servers], call)
  } finally {
    for (const target of started) await target.stop()
    await stop()
    rmSync(dir, { recursive: true, force: true })
  }
}
