import { expect, test } from 'vitest'
import { targetsModule } from '../../../admin-ui/contracts.ts'
import * as signIn from '../../../src/authentication/methods/password/contract.ts'
import * as oidc from '../../../src/oidc/contract.ts'
import * as invitations from '../../../src/organizations/invitations/contract.ts'

const read = async (exported: object): Promise<Readonly<Record<string, unknown>>> =>
  import(`data:text/javascript,${encodeURIComponent(targetsModule({ ...exported }))}`)

test('the browser gets only the method and path of each endpoint from a contract', async () => {
  expect({ ...(await read(signIn)) }).toEqual({
    signInContract: {
      signUpEmail: { method: 'POST', path: '/sign-up/email' },
      signInEmail: { method: 'POST', path: '/sign-in/email' },
      signInUsername: { method: 'POST', path: '/sign-in/username' },
    },
  })
  for (const [exported, name, contract] of [
    [oidc, 'oidcContract', oidc.oidcContract],
    [invitations, 'invitationContract', invitations.invitationContract],
  ] as const) {
    const targets = Object.entries(contract).map(([key, { method, path }]) => [key, { method, path }])
    expect((await read(exported))[name]).toEqual(Object.fromEntries(targets))
  }
})
