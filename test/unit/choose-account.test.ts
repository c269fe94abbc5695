import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chooseAccount } from '../../src/identity/identities/rules.ts'

const account = (id: string, providerId: string, accountId: string) => ({ id, providerId, accountId })
const accounts = [
  account('r1', 'github', '7'),
  account('r2', 'github', '8'),
  account('r3', 'google', '7'),
  account('r4', 'x', 'r1'),
]

test.each([
  [{ providerId: 'github' }, 'r1'],
  [{ providerId: 'github', accountId: '8' }, 'r2'],
  [{ providerId: 'google', accountId: '7' }, 'r3'],
  [{ providerId: 'google', accountId: 'r3' }, 'r3'],
  [{ providerId: 'google', accountId: 'r1' }, undefined],
  [{ accountId: 'r2' }, 'r2'],
  [{ accountId: '8' }, 'r2'],
  // Two providers have a user 7. The id of a row takes precedence over the id of a provider.
  [{ accountId: '7' }, undefined],
  [{ accountId: 'r1' }, 'r1'],
  [{ providerId: 'x', accountId: 'r1' }, 'r4'],
  [{ accountId: '9' }, undefined],
  [{ providerId: 'zoom' }, undefined],
  [{}, undefined],
])('the parameters %j choose %s', (choice, id) => {
  expect(chooseAccount(accounts, choice)?.id).toBe(id)
})

test('the chosen identity has the given provider and id, and a row id alone always selects one identity', () => {
  const short = fc.constantFrom('a', 'b', 'c')
  const rows = fc.uniqueArray(fc.record({ id: short, providerId: short, accountId: short }), { selector: ({ id }) => id })
  const choice = fc.record({ providerId: short, accountId: short }, { requiredKeys: [] })
  fc.assert(
    fc.property(rows, choice, (mine, { providerId, accountId }) => {
      const chosen = chooseAccount(mine, { providerId, accountId })
      if (chosen !== undefined) {
        if (providerId !== undefined) expect(chosen.providerId).toBe(providerId)
        if (accountId !== undefined) expect([chosen.id, chosen.accountId]).toContain(accountId)
      }
      for (const row of mine) expect(chooseAccount(mine, { accountId: row.id })).toBe(row)
    }),
  )
})
