/**
 * The floor: the least that a server with Node's own http, a prepared statement and argon2 can do for the same answer. It has no router,
 * validation, logs or security. Paths and bodies are those of gatehouse, so that the same load can be used.
 */
import { createHash, createHmac, createSecretKey, randomBytes, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { availableParallelism } from 'node:os'
import argon2 from 'argon2'
import { openFloorDatabase } from './floor-database.ts'

const [databaseUrl = '', port = '0', webhookSecret = '', capped = ''] = process.argv.slice(2)
const hashing = { type: argon2.argon2id, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
// A key object. From a buffer, Node would make a new key for every signature, at fifteen times the cost.
const key = createSecretKey(randomBytes(32))

const { knex: db, read } = openFloorDatabase(databaseUrl)

/** False if an earlier start has made the table. */
const isMissing = async (table: string) => !(await db.schema.hasTable(table))

if (await isMissing('user'))
  await db.schema.createTable('user', (t) => {
    t.string('id', 32).primary()
    t.string('name', 200).notNullable()
    t.string('email', 320).notNullable().unique()
    t.text('password').notNullable()
    t.text('image')
  })
if (await isMissing('session'))
  await db.schema.createTable('session', (t) => {
    t.string('token_hash', 64).primary()
    t.string('user_id', 32).notNullable().index()
    t.string('name', 200).notNullable()
    t.string('email', 320).notNullable()
    t.bigInteger('expires_at').notNullable()
  })

if (await isMissing('delivery'))
  await db.schema.createTable('delivery', (t) => {
    t.string('webhook_id', 64).primary()
    t.bigInteger('received_at').notNullable()
    t.binary('body').notNullable()
  })

if (await isMissing('member'))
  await db.schema.createTable('member', (t) => {
    t.string('id', 32).primary()
    t.string('organization_id', 32).notNullable()
    t.string('user_id', 32).notNullable()
    t.string('role', 255).notNullable()
    t.timestamp('created_at').notNullable()
    t.index(['organization_id', 'created_at', 'id'])
  })

/** Number of free places for hashes. The server `capped` has as many as gatehouse. */
let free = capped === '' ? Number.POSITIVE_INFINITY : Math.min(4, availableParallelism())
const waiting: (() => void)[] = []
const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (free > 0) free -= 1
  else await new Promise<void>((resolve) => waiting.push(resolve))
  try {
    return await work()
  } finally {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const sign = (token: string) => createHmac('sha256', key).update(token).digest()

const tokenOf = (header: string | undefined): string | undefined => {
  const [, token, signature] = /(?:^|; )gatehouse\.session=([\w-]+)\.([\w-]{43})/.exec(header ?? '') ?? []
  if (token === undefined || signature === undefined) return undefined
  return timingSafeEqual(sign(token), Buffer.from(signature, 'base64url')) ? token : undefined
}

const answer = (res: ServerResponse, value: unknown, cookie?: string) => {
  const body = Buffer.from(JSON.stringify(value))
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length }
  res.writeHead(200, cookie === undefined ? headers : { ...headers, 'Set-Cookie': cookie }).end(body)
}

/** Returns the row of a valid session. */
const sessionOf = async (req: IncomingMessage) => {
  const token = tokenOf(req.headers.cookie)
  const [row] = token === undefined ? [] : await read('session', 'select * from session where token_hash = $1', [sha256(token)])
  return row !== undefined && Number(row.expires_at) > Date.now() ? row : undefined
}

const getSession = async (req: IncomingMessage, res: ServerResponse) => {
  const row = await sessionOf(req)
  answer(res, row === undefined ? null : { session: { userId: row.user_id }, user: { name: row.name, email: row.email } })
}

const listMembers = async (req: IncomingMessage, res: ServerResponse, organizationId: string) => {
  if ((await sessionOf(req)) === undefined) return void res.writeHead(401).end()
  const columns = 'm.id, m.organization_id, m.user_id, m.role, m.created_at, u.name, u.email, u.image'
  const sql = `select ${columns} from member m join "user" u on u.id = m.user_id where m.organization_id = $1 order by m.created_at, m.id limit 100`
  const rows = await read('members', sql, [organizationId])
  const members = rows.map((row) => ({
    id: row.id,
    organizationId: row.organization_id,
    userId: row.user_id,
    role: row.role,
    createdAt: new Date(row.created_at).toISOString(),
    user: { id: row.user_id, name: row.name, email: row.email, image: row.image },
  }))
  return answer(res, { members, total: members.length })
}

const readBytes = async (req: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of req) parts.push(part)
  return Buffer.concat(parts)
}
const readJson = async (req: IncomingMessage): Promise<Readonly<Record<string, string>>> =>
  JSON.parse((await readBytes(req)).toString())

const signUp = async (req: IncomingMessage, res: ServerResponse) => {
  const { name, email, password = '' } = await readJson(req)
  await db('user').insert({ id: randomBytes(16).toString('hex'), name, email, password: await argon2.hash(password, hashing) })
  answer(res, { user: { name, email } })
}

const signIn = async (req: IncomingMessage, res: ServerResponse) => {
  const { email, password = '' } = await readJson(req)
  const user = await db('user').where({ email }).first()
  if (user === undefined || !(await inTurn(() => argon2.verify(user.password, password)))) return void res.writeHead(401).end()
  const token = randomBytes(24).toString('base64url')
  const expires_at = Date.now() + 604_800_000
  await db('session').insert({ token_hash: sha256(token), user_id: user.id, name: user.name, email, expires_at })
  return answer(
    res,
    { token, user: { name: user.name, email } },
    `gatehouse.session=${token}.${sign(token).toString('base64url')}; Path=/`,
  )
}

const webhookKey = createSecretKey(Buffer.from(webhookSecret))

/** Verifies a signed event and stores it unchanged. */
const receive = async (req: IncomingMessage, res: ServerResponse) => {
  const body = await readBytes(req)
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = req.headers
  const expected = createHmac('sha256', webhookKey).update(`${id}.${time}.`).update(body).digest()
  const isSigned = timingSafeEqual(expected, Buffer.from(String(given).slice('v1,'.length), 'base64'))
  if (isSigned) await db('delivery').insert({ webhook_id: id, received_at: Date.now(), body })
  res.writeHead(isSigned ? 202 : 403, { 'Content-Length': 0 }).end()
}

const known = await argon2.hash('correct horse battery', hashing)
/** Verifies a password with Argon2 and does nothing else. */
const hashOnly = async (res: ServerResponse) => answer(res, { matches: await argon2.verify(known, 'correct horse battery') })

const membersPath = '/organization/list-members?organizationId='

const handle = async (req: IncomingMessage, res: ServerResponse) => {
  if (req.url === '/get-session') return getSession(req, res)
  if (req.url === '/sign-in/email') return signIn(req, res)
  if (req.url === '/sign-up/email') return signUp(req, res)
  if (req.url === '/argon2') return hashOnly(res)
  if (req.url === '/webhooks/polar') return receive(req, res)
  if (req.url?.startsWith(membersPath) === true) return listMembers(req, res, req.url.slice(membersPath.length))
  return answer(res, { ok: true })
}

createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
  handle(req, res).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    res.writeHead(500).end()
  })
}).listen(Number(port), '127.0.0.1')
