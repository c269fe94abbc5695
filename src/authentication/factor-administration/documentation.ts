import { exampleUser } from '../../identity/users/contract.ts'

const none = {
  ...{ userId: exampleUser.id, twoFactorEnabled: false, factors: [], rememberedBrowsers: 0, required: false },
  ...{ requirement: null, signInMethods: 1 },
}
const removed =
  'Sessions stay; sign-ins between their steps and remembered browsers end, and the user is told by mail. Where a second factor is required, the next sign-in has to add one. `signInMethods` is 0 when none of their ways to sign in is left.'

/** What the API document says besides the contract. */
export const factorAdministrationDocumentation = {
  adminListFactors: {
    description: 'Secrets, codes and keys are never shown. What was begun and not proven is left out.',
    example: {
      response: {
        ...none,
        twoFactorEnabled: true,
        factors: [
          {
            ...{ id: '7Q2mZk1vXw0bT9nY5sR8uL3cD4eF6gH0', kind: 'totp', name: null, counts: true, removable: true },
            ...{ createdAt: '2026-03-02T09:15:00.000Z', lastUsedAt: '2026-03-05T08:00:30.000Z' },
          },
        ],
        requirement: { by: 'roles', roles: ['support'], dueAt: '2026-03-09T09:15:00.000Z' },
      },
    },
  },
  adminRequireFactor: {
    description: '`secondFactor.graceDays` begin now. What a password opens after them says `secondFactor.passwordAlone`.',
    example: {
      body: { required: true },
      response: {
        ...none,
        required: true,
        requirement: { by: 'person', roles: [], dueAt: '2026-03-09T09:15:00.000Z' },
      },
    },
  },
  adminRemoveFactors: { description: removed, example: { response: none } },
  adminRemoveFactor: { description: removed, example: { response: none } },
}
