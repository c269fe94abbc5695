import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readBackup } from '../../src/backup/file/read.ts'
import { configSchema } from '../../src/composition.ts'
import { loadConfig } from '../../src/core/config.ts'
import { type BackupDirectory, createBackupDirectory } from '../support/backup.ts'
import { type Environment, environmentOf, runCommand, slow } from '../support/binary.ts'
import { createDatabaseWithKeys, type TestDatabase } from '../support/database.ts'
import { testSecret } from '../support/secret.ts'

let database: TestDatabase
let directory: BackupDirectory

beforeEach(async () => {
  database = await createDatabaseWithKeys()
  directory = createBackupDirectory()
})
afterEach(async () => {
  directory.remove()
  await database.drop()
})

const configured: Environment = {
  GATEHOUSE_URL: 'https://id.example.com',
  GATEHOUSE_PORT: '3999',
  GATEHOUSE_SESSIONS_FRESH_AGE_SECONDS: '1234',
  GATEHOUSE_SMTP_URL: 'smtps://ann:geheim@mail.example:465',
  GATEHOUSE_GITHUB_CLIENT_ID: 'gh',
  GATEHOUSE_GITHUB_CLIENT_SECRET: 'very secret',
}

const backUp = async (env: Environment, to = directory.file('backup.jsonl.gz')) => {
  const made = await runCommand(['backup', '--to', to, '--without-keys', '--json'], { ...environmentOf(database), ...env })
  expect([made.exitCode, made.stderr]).toEqual([0, ''])
  return made.json() as { file: string; secrets: string[] }
}
/** The start command that a restore prints, with `check-config` instead of `serve`. */
const wordsOf = (command: string) => command.replace('gatehouse serve', 'check-config').split(' ')

test('backup --to with a trailing slash creates the directory, and only its owner can enter it', slow, async () => {
  const { file } = await backUp({}, `${directory.file('new/backups')}/`)
  expect(file).toMatch(/\/new\/backups\/gatehouse-\d{8}T\d{6}Z-\w{6}\.jsonl\.gz$/)
  expect((statSync(directory.file('new/backups')).mode & 0o777).toString(8)).toBe('700')
  writeFileSync(directory.file('taken'), '')
  const args = ['backup', '--without-keys', '--to', `${directory.file('taken')}/`]
  const refused = await runCommand(args, environmentOf(database))
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('BACKUP_NOT_WRITTEN')])
})

test('a backup contains the configuration without its secrets, and names the secrets to keep', slow, async () => {
  const { file, secrets } = await backUp(configured)
  expect(secrets).toEqual(expect.arrayContaining(['smtpUrl', 'social.github.clientSecret']))
  const { header } = await readBackup(file)
  expect(header.configuration).toMatchObject({ url: 'https://id.example.com', port: 3999, 'sessions.freshAgeSeconds': 1234 })
  expect(header.secrets).toEqual(expect.arrayContaining(['secret', 'smtpUrl', 'social.github.clientSecret']))
  const text = JSON.stringify(header)
  for (const secret of ['geheim', 'very secret', testSecret]) expect(text).not.toContain(secret)
})

test('restore prints the start command with the address, data directory and configuration of the backup', slow, async () => {
  const { file } = await backUp(configured)
  const dataDir = directory.file('restored here')
  const env = { GATEHOUSE_SECRET: testSecret }
  const restored = await runCommand(['restore', file, '--data-dir', dataDir], env)
  expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
  const written = join(dataDir, 'restored.yaml')
  expect(restored.stdout).toContain(`Start it with: gatehouse serve --config '${written}' --data-dir '${dataDir}'\n`)
  expect(restored.stdout).toContain(`${written}, without its secrets`)
  expect((statSync(written).mode & 0o777).toString(8)).toBe('600')
  const text = readFileSync(written, 'utf8')
  expect(text).toContain('smtpUrl')
  expect(text).not.toMatch(/geheim|very secret|dataDir|databaseUrl/)
  const config = loadConfig(configSchema, {
    file: written,
    env: { ...env, GATEHOUSE_GITHUB_CLIENT_SECRET: 'x' },
    flags: { dataDir },
  })
  expect(config).toMatchObject({ url: 'https://id.example.com', port: 3999, sessions: { freshAgeSeconds: 1234 } })
})

test('the start command printed by a restore works, even with a configuration file', slow, async () => {
  const { file } = await backUp({ GATEHOUSE_PORT: '3999' })
  const own = directory.file('own.yaml')
  writeFileSync(own, 'mailFrom: Acme <no-reply@acme.example>\n')
  const dataDir = directory.file('restored')
  const env = { GATEHOUSE_SECRET: testSecret }
  const args = ['restore', file, '--config', own, '--data-dir', dataDir, '--json']
  const restored = await runCommand(args, env)
  const { next, configurationFile } = restored.json() as { next: string[]; configurationFile: string | null }
  expect(configurationFile).toBeNull()
  expect(next).toEqual([`gatehouse serve --config ${own} --url http://localhost:3999 --data-dir ${dataDir}`])
  expect(await runCommand(wordsOf(next[0] ?? ''), env)).toMatchObject({ exitCode: 0 })
  const doctor = await runCommand(['list-users', '--json', ...wordsOf(next[0] ?? '').slice(1)], env)
  expect(doctor).toMatchObject({ exitCode: 0, stdout: '[]\n' })
})
