import { systemFailureOf } from '../system-failure.ts'
import { isPoolerError } from './pooler.ts'

/** External reasons why a database refuses this program, each as a sentence with a remedy. `said` matches the message of the database. */
interface Failure {
  readonly codes: RegExp
  readonly message: (said: string) => string
}

const address = 'GATEHOUSE_DATABASE_URL'
const asPostgres = (said: string) => `PostgreSQL says: ${said}.`

/**
 * Failures that a PostgreSQL server reports. They are recognised by SQLSTATE
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html), and the first entry that matches is used. An error with any other
 * code may be a bug.
 */
const ofPostgres: readonly Failure[] = [
  { codes: /^28/, message: (said) => `PostgreSQL refuses the user or password of ${address}. ${asPostgres(said)}` },
  {
    codes: /^3D/,
    message: (said) => `The database that ${address} names does not exist. Create it with: createdb <name>. ${asPostgres(said)}`,
  },
  {
    codes: /^3F/,
    message: (said) =>
      `There is no schema for the tables: the search_path of the user of ${address} names none that exists. Run: alter role <user> in database <name> set search_path = public; or create the schema. ${asPostgres(said)}`,
  },
  {
    codes: /^(42501|0L|0P)/,
    message: (said) =>
      `The user of ${address} may not do what gatehouse has to: read, write and create tables. Grant it: grant usage, create on schema public to <user>; tables of another owner: alter table <name> owner to <user>. ${asPostgres(said)}`,
  },
  {
    codes: /^2BP01/,
    message: (said) =>
      `Something that was added to the tables of gatehouse, such as a view, keeps it from changing them. Drop it, run the migration, and make it again. ${asPostgres(said)}`,
  },
  {
    codes: /^(P0001|P0004|44000)/,
    message: (said) =>
      `A trigger, function or view that was added to the database refuses what gatehouse writes. Mend or drop it. ${asPostgres(said)}`,
  },
  {
    codes: /^53[34]/,
    message: (said) =>
      `PostgreSQL has no connection left. Raise max_connections, or lower database.poolMax (GATEHOUSE_DATABASE_POOL_MAX). ${asPostgres(said)}`,
  },
  { codes: /^(53|54)/, message: (said) => `PostgreSQL lacks a resource. Give its server more. ${asPostgres(said)}` },
  {
    codes: /^(57P04|55000|55006)/,
    message: (said) =>
      `The database that ${address} names takes no connections. Set another one, or allow them. ${asPostgres(said)}`,
  },
  {
    codes: /^57/,
    message: (said) => `PostgreSQL ends or does not take connections at present. See that it runs. ${asPostgres(said)}`,
  },
  {
    codes: /^(58|F0|XX001|XX002)/,
    message: (said) =>
      `PostgreSQL cannot read or write its own files. See its log, and restore a backup where data is damaged. ${asPostgres(said)}`,
  },
]

const ofSqlite: readonly Failure[] = [
  {
    codes: /^SQLITE_(CANTOPEN|NOTADB|CORRUPT|PERM|AUTH|NOLFS|PROTOCOL|FORMAT)/,
    message: (said) =>
      `The SQLite file cannot be used: ${said}. See that it is a gatehouse database, that it, its directory and the files -wal and -shm beside it belong to the user gatehouse runs as (GATEHOUSE_DATA_DIR, ${address}), and that gatehouse may open more files (ulimit -n).`,
  },
  { codes: /^SQLITE_NOMEM/, message: () => 'SQLite gets no memory from the system. Give gatehouse more.' },
]

/**
 * Failures of TLS. They are recognised by the codes of OpenSSL for certificates and of Node for TLS
 * (https://nodejs.org/api/tls.html#x509-certificate-error-codes).
 */
const ofTls: readonly Failure[] = [
  {
    codes: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    message: (said) =>
      `The certificate of PostgreSQL is for another host than ${address} names: ${said}. Name the host that is in it.`,
  },
  {
    codes: /^CERT_(HAS_EXPIRED|NOT_YET_VALID)$/,
    message: (said) =>
      `The certificate of PostgreSQL is not valid at this time: ${said}. Renew it, or set the clock of this machine.`,
  },
  {
    codes:
      /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_(GET|DECRYPT|DECODE|VERIFY)_\w+|CERT_\w+|CRL_\w+|INVALID_(CA|PURPOSE)|PATH_LENGTH_EXCEEDED)$/,
    message: (said) =>
      `The certificate of PostgreSQL is of an authority that is not trusted: ${said}. Add sslrootcert=<file with the certificate of the authority> to ${address}, or name that file in NODE_EXTRA_CA_CERTS.`,
  },
  {
    codes: /^ERR_(OSSL|CRYPTO)_/,
    message: (said) =>
      `A file of sslrootcert, sslcert or sslkey in ${address} is no certificate or key in PEM, or they do not fit: ${said}.`,
  },
  {
    codes: /^(ERR_SSL_|ERR_TLS_|EPROTO)/,
    message: (said) =>
      `PostgreSQL and gatehouse find no TLS in common: ${said}. See sslmode in ${address}, and ssl_min_protocol_version of the server.`,
  },
]

/** Failures that the driver reports by a message without a code. */
const withoutCode: readonly { readonly said: RegExp; readonly message: string }[] = [
  {
    said: /does not support SSL|establishing an SSL connection/i,
    message: `PostgreSQL offers no TLS, which ${address} requires. Switch it on in the server, or set sslmode=disable where nobody can listen.`,
  },
  {
    said: /SASL|password must be a string|requires a password|unknown authentication/i,
    message: `PostgreSQL asks for a password in a way that ${address} does not serve. Name user and password in it.`,
  },
]

/** True for an error that the PostgreSQL server sent. False for an error that the driver made. */
const isAnswer = (error: unknown): error is { readonly code: string; readonly severity: string } =>
  typeof (error as { severity?: unknown }).severity === 'string'

/**
 * Describes the external cause of a database error, with the remedy. Undefined for any other error, which may be a bug. The text contains
 * no password.
 */
export const databaseFailureOf = (error: unknown): string | undefined => {
  const { code = '', message = '', syscall } = error as { code?: string; message?: string; syscall?: string }
  const said = message.replace(/^SQLITE_\w+: /, '').replace(/\.$/, '')
  const find = (list: readonly Failure[]) => list.find(({ codes }) => codes.test(code))?.message(said)
  if (isPoolerError(error)) return undefined
  if (isAnswer(error)) {
    // An error of this severity ends the connection or its start, so even an unlisted code is about the connection.
    const isFatal = /^(FATAL|PANIC)$/.test(error.severity)
    return find(ofPostgres) ?? (isFatal ? `PostgreSQL refuses the connection of ${address}. ${asPostgres(said)}` : undefined)
  }
  if (code.startsWith('SQLITE_')) return find(ofSqlite)
  const tls = find(ofTls)
  if (tls !== undefined) return tls
  if (syscall === 'connect') {
    const failure = systemFailureOf(error)
    if (failure !== undefined)
      return `The socket of PostgreSQL that ${address} names ${failure.problem}. See that PostgreSQL runs, and that host names the directory of its socket.`
  }
  return code === '' ? withoutCode.find((one) => one.said.test(message))?.message : undefined
}
