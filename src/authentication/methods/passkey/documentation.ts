import { exampleUser } from '../../../identity/users/contract.ts'

const passkey = {
  id: 'mB4Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j',
  userId: exampleUser.id,
  name: 'Google Password Manager',
  credentialID: 'KEDetxZcUfinhVi6Za5nZQ',
  publicKey: 'pQECAyYgASFYIN6EkRw',
  counter: 0,
  deviceType: 'multiDevice',
  backedUp: true,
  transports: 'hybrid,internal',
  aaguid: 'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4',
  userVerified: true,
  createdAt: '2026-12-01T09:30:00.000Z',
  lastUsedAt: null,
} as const

/**
 * Descriptions and examples for the API document. They are kept outside of the contract, because pages load the contract and do not need
 * them.
 */
export const passkeyDocumentation = {
  generateRegisterOptions: {
    description:
      'For `navigator.credentials.create`. The challenge works once, in this browser (identified by a cookie), within `timeout`. With `conditional=true` the browser creates the passkey without asking, after a sign-in with a password (`mediation: "conditional"`). `name` is what the authenticator shows instead of the address. `context` is ignored.',
  },
  verifyRegistration: {
    description:
      'The new passkey counts as a proof. A session keeps its id and gets another token. A sign-in that had to add a second factor is completed (`session`, `user`). Without `name` the passkey is named after its authenticator or the browser. Adding a security key without a PIN switches on two-step verification.',
    example: { response: passkey },
  },
  generateAuthenticateOptions: {
    description:
      'For `navigator.credentials.get`. During a sign-in that waits for its second factor, and with a session, `allowCredentials` lists the passkeys of that user. Otherwise, and with `anyone=true`, the browser offers the passkeys that it has, also as autofill (`mediation: "conditional"`), and the passkey has to verify its user. A page that waits with autofill has to request new options before `timeout`.',
    example: {
      response: {
        challenge: 'bGA4ofFiz945B762UGVYirz_ikLiQnEXnKYVDBwEKYw',
        rpId: 'id.example.com',
        timeout: 300_000,
        userVerification: 'required',
      },
    },
  },
  verifyAuthentication: {
    description:
      '`PASSKEY_NOT_FOUND`: this server no longer has such a passkey, and a page may tell the browser so (`signalUnknownCredential`). `USER_VERIFICATION_REQUIRED`: a security key without a PIN can only be a second factor.',
  },
  updatePasskey: { example: { body: { id: passkey.id, name: 'Phone' }, response: { passkey: { ...passkey, name: 'Phone' } } } },
  deletePasskey: { example: { body: { id: passkey.id }, response: { status: true } } },
  listUserPasskeys: { example: { response: [passkey] } },
}
