import { expect, test } from 'vitest'
import { groups } from '../../../admin-ui/console/groups.ts'
import { placeOfCommand } from '../../../admin-ui/console/shared/command-place.ts'
import { createRemedies } from '../../../src/core/remedies.ts'

const remedies = createRemedies(['--config', '/etc/gate house.yaml'])
const id = 'fJ2mW8sVq0YbTz4nKd6xAb'

test('a remedy command is shown as a link to the console row or filtered list that does the same', () => {
  const to = (command: string) => placeOfCommand(command)?.to
  expect(to(remedies.unbanUser(id))).toBe(`/admin/users/${id}`)
  expect(to(remedies.setPassword('ann@example.com'))).toBe('/admin/users?search=ann%40example.com')
  expect(to(remedies.setPassword("O'Neil"))).toBe('/admin/users?search=O%27Neil')
  expect(to(remedies.updateClient('my shop', '--pkce', 'required'))).toBe('/admin/clients/my%20shop')
  expect(to(remedies.listOverdueUsers())).toBe('/admin/users?secondFactor=overdue')
  expect(to(`${remedies.listUsersWithRole('admin')} && ${remedies.listUsersWithRole('support')}`)).toBe('/admin/users?role=admin')
  expect(to(remedies.listDeadTasks('backup.make'))).toBe('/admin/tasks?status=dead&kind=backup.make')
  expect(to(remedies.backup('--to', '/var/backups'))).toBe('/admin/backups')
  expect(to(remedies.rotateJwks())).toBe('/admin/signing-keys')
})

test('a remedy that the console does not offer stays a command, and other text is not mistaken for a command', () => {
  for (const text of [remedies.reencrypt(), remedies.createSetupLink(), 'synchronise both machines with NTP', '', 'gatehouse'])
    expect(placeOfCommand(text)).toBeUndefined()
})

test('every link destination of a command is a screen of the navigation', () => {
  const screens = groups.flatMap((group) => group.screens.map(({ path }) => path))
  const calls: Readonly<Record<string, (...words: string[]) => string>> = remedies
  const found = Object.values(calls).flatMap((command) => placeOfCommand(command('some-name-of-20-letters')) ?? [])
  expect(found.length).toBeGreaterThan(15)
  for (const { screen, to } of found) {
    expect(screens).toContain(screen)
    expect(to.startsWith(screen)).toBe(true)
  }
})
