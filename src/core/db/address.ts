import { readFileSync } from 'node:fs'
import { fileProblem } from '../system-failure.ts'

/** Parameters of a database URL that the driver understands. */
const known = new Set([
  ...[
    'host',
    'port',
    'user',
    'password',
    'ssl',
    'sslmode',
    'sslcert',
    'sslkey',
    'sslrootcert',
    'sslnegotiation',
    'uselibpqcompat',
  ],
  ...['options', 'client_encoding', 'application_name', 'fallback_application_name', 'statement_timeout', 'lock_timeout'],
  ...['idle_in_transaction_session_timeout', 'query_timeout', 'keepalives', 'keepalives_idle', 'keepalives_interval'],
  ...['keepalives_count', 'connect_timeout', 'tcp_user_timeout', 'channel_binding', 'gssencmode', 'sslsni', 'sslcompression'],
])

/** Parameters of a database URL that other programs understand. For each, the message names what to use in gatehouse instead. */
const instead: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['schema', 'currentSchema', 'search_path', 'searchpath'].map((name) => [
      name,
      'options=-csearch_path%3D<schema> in its place, or run: alter role <user> in database <name> set search_path = <schema>',
    ]),
  ),
  pgbouncer: 'database.pooler: transaction (GATEHOUSE_DATABASE_POOLER)',
  connection_limit: 'database.poolMax (GATEHOUSE_DATABASE_POOL_MAX)',
  pool_max_conns: 'database.poolMax (GATEHOUSE_DATABASE_POOL_MAX)',
  target_session_attrs: 'the address of the primary: a standby is refused',
}

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Parses a database URL. A URL without a host is valid, too: its parameter `host` contains a host name or the directory of a socket. */
const parse = (address: string): URL | null => URL.parse(address) ?? URL.parse(address.replace('@/', '@localhost/'))

const encoding = 'write # / ? @ : and % in user and password as %23 %2F %3F %40 %3A and %25'

/**
 * Describes what is wrong with a database URL, without quoting any part of it. Undefined for a valid URL. A parameter without an effect
 * is an error, because the operator relies on it.
 */
export const databaseUrlProblem = (address: string): string | undefined => {
  if (address.startsWith('sqlite:'))
    return address.includes('?') ? 'has parameters behind a ?, which are not read: name the file alone' : undefined
  if (!/^postgres(ql)?:/.test(address)) return undefined
  const url = parse(address)
  const [authority = ''] = address.replace(/^postgres(ql)?:\/\//, '').split(/[/?#]/, 1)
  if (url === null && authority.includes(',', authority.lastIndexOf('@')))
    return 'names several hosts: name one, which may be the address of a proxy before them'
  if (url === null) return `is no address: ${encoding}`
  if (url.hash !== '' || url.pathname.includes('@')) return `is cut off behind a character of the password: ${encoding}`
  try {
    for (const part of [url.username, url.password, url.pathname, url.hostname]) decodeURIComponent(part)
  } catch {
    return `has a % that is not the begin of an encoded character: ${encoding}`
  }
  if (url.hostname.includes(',')) return 'names several hosts: name one, which may be the address of a proxy before them'
  for (const [name, value] of url.searchParams) {
    if (Object.hasOwn(instead, name)) return `${name} is no parameter of PostgreSQL here: use ${instead[name]}`
    if (!known.has(name)) return `${name} is a parameter that is not read; take it out of the address`
    if (name === 'sslmode' && !sslModes.includes(value)) return `sslmode must be one of ${sslModes.join(', ')}`
  }
  return undefined
}

/** Describes what is wrong with the certificate and key files that a database URL names. Undefined if nothing is. */
export const certificateFileProblem = (address: string): string | undefined => {
  const parameters = /^postgres(ql)?:/.test(address) ? parse(address)?.searchParams : undefined
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = parameters?.get(name)
    if (file === null || file === undefined) continue
    try {
      readFileSync(file)
    } catch (error) {
      return `${name}: ${fileProblem(error, file)}`
    }
  }
  return undefined
}
