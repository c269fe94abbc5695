import { exampleUser } from '../../../identity/users/contract.ts'

/** What the API document says besides the contract. The pages load contracts, and none of this. */
export const signInDocumentation = {
  signUpEmail: {
    description:
      'Signs the new user in, unless addresses have to be verified first: then `token` is null and a mail is on its way. Fields of `users.fields` stand beside the others.',
    example: {
      body: { name: 'Ada Lovelace', email: 'ada@example.com', password: 'correct horse battery staple' },
      response: { token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: { ...exampleUser, emailVerified: false } },
    },
  },
  signInEmail: {
    description:
      'Sets the cookie of the session; programs send `token` as `Authorization: Bearer`. An unknown address and a wrong password get the same response.',
    example: {
      body: { email: 'ada@example.com', password: 'correct horse battery staple' },
      response: { redirect: false, token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: exampleUser },
    },
  },
  signInUsername: {
    description:
      'Only where `accounts.userNames.mode` is not `off`. All ways to write a name are one. An unknown name and a wrong password get the same response.',
    example: {
      body: { username: 'ada', password: 'correct horse battery staple' },
      response: { redirect: false, token: '3q9Zk1vXw0bT7mY5sR8uN2cD4eF6gH0j', user: exampleUser },
    },
  },
}
