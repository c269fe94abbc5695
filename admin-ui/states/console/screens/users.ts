import { userAdministrationContract } from '../../../../src/identity/users/administration/contract/users.ts'
import { daysAhead } from '../../made-up.ts'
import type { Answers } from '../../state.ts'
import type { Amount } from '../made-up.ts'
import { agoOf, emailOf, idOf, nameOf, nextOf, rowsOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'
import { says, together } from '../typed.ts'

type User = Wire<typeof userAdministrationContract, 'adminGetUser'>

const factorStates = ['none', 'on', 'required', 'overdue'] as const

export const userOf = (index: number): User => ({
  id: idOf('usr', index),
  name: nameOf(index),
  email: emailOf(index),
  emailVerified: index % 4 !== 1,
  image: null,
  role: index === 0 ? 'admin' : index === 2 ? 'auditor,support,billing-desk' : 'user',
  language: null,
  twoFactorEnabled: index % 4 === 1,
  createdAt: agoOf(index + 3),
  updatedAt: agoOf(index),
  banned: index % 7 === 2,
  banReason:
    index % 7 === 2 ? 'Sent the same message to everybody in the directory, three times, after being asked to stop' : null,
  banExpires: index % 14 === 2 ? daysAhead(12) : null,
  secondFactor: factorStates[index % 4] ?? 'none',
})

/** The list of users, and the request for one user by id. */
export const userAnswers = (amount: Amount): Answers =>
  together(
    says(userAdministrationContract, 'adminListUsers', {
      users: rowsOf(amount, userOf),
      next: nextOf(amount),
      total: amount === 'many' ? { count: 104_233, isExact: false } : null,
    }),
    says(userAdministrationContract, 'adminGetUser', userOf(amount === 'many' ? 2 : amount === 'few' ? 0 : 4)),
  )

/** The user that other screens name by id. */
export const userNames: Answers = says(userAdministrationContract, 'adminGetUser', userOf(4))
