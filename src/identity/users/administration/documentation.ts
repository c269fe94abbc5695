import { exampleUser } from '../contract.ts'

const userId = exampleUser.id
const managed = { ...exampleUser, banned: false, banReason: null, banExpires: null, secondFactor: 'none' }

/** What the API document says besides the contract. */
export const administrationDocumentation = {
  createUser: {
    description: 'No mail is sent. `data` takes `emailVerified` and the fields that `users.fields` adds, those of operators too.',
    example: {
      body: { email: 'ada@example.com', name: 'Ada Lovelace', password: 'correct horse battery', role: 'user' },
      response: { user: managed },
    },
  },
  setRole: {
    description: 'Several roles with commas or as a list. Sessions in which the user impersonates somebody end.',
    example: { body: { userId, role: 'support' }, response: { user: { ...managed, role: 'support' } } },
  },
  banUser: {
    description:
      'Sessions, codes and tokens of the user end with the answer, on every node. Sign-in tells them that they are banned, after the right password, and not why. With `banExpiresIn` seconds the ban ends by itself.',
    example: {
      body: { userId, banReason: 'Chargebacks', banExpiresIn: 86400 },
      response: { user: { ...managed, banned: true, banReason: 'Chargebacks', banExpires: '2026-03-03T09:15:00.000Z' } },
    },
  },
  hasInstancePermission: {
    description: 'Takes the words of Better Auth (`{"user": ["ban"]}`) and those of gatehouse (`{"clients": ["read"]}`).',
    example: { body: { permissions: { user: ['ban'] } }, response: { error: null, success: true } },
  },
}
