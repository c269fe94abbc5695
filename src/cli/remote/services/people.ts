import { explanationContract } from '../../../authentication/explanation/contract.ts'
import { factorAdministrationContract } from '../../../authentication/factor-administration/contract.ts'
import { recoveryContract } from '../../../authentication/second-factor-recovery/contract.ts'
import { sessionAdministrationContract } from '../../../authentication/sessions/administration/contract.ts'
import { claimExplanationContract } from '../../../claim-explanations/contract.ts'
import { AppError } from '../../../core/errors.ts'
import type { Send } from '../../../http/client.ts'
import { administrationContract } from '../../../identity/users/administration/contract/actions.ts'
import { userAdministrationContract } from '../../../identity/users/administration/contract/users.ts'
import { calls, orUndefined } from './calls.ts'

/** Finds the ids of users. Commands name a user by id, email address or user name, but calls only accept ids. */
export const findPeople = (send: Send) => {
  const users = calls(userAdministrationContract, send)
  return async (named: string) => {
    const byId = named.includes('@') ? undefined : await orUndefined(users.adminGetUser({ params: { id: named } }), 'NOT_FOUND')
    if (byId !== undefined) return byId
    const { users: found } = await users.adminListUsers({ query: { search: named, limit: 20 } })
    const wanted = named.toLowerCase()
    const id = found.find(({ email, fields }) => (named.includes('@') ? email : fields['username']) === wanted)?.id
    if (id === undefined) throw new AppError('USER_NOT_FOUND', 404, 'User not found')
    return users.adminGetUser({ params: { id } })
  }
}

/** The services for users, their second factors, sessions and sign-ins. */
export const peopleServices = (send: Send, userOf: ReturnType<typeof findPeople>) => {
  const users = calls(userAdministrationContract, send)
  const people = calls(administrationContract, send)
  const sessions = calls(sessionAdministrationContract, send)
  const factors = calls(factorAdministrationContract, send)
  const recoveries = calls(recoveryContract, send)
  const explanations = calls(explanationContract, send)
  const claims = calls(claimExplanationContract, send)
  /** Converts a user from the API to the form that services use. */
  const withBan = <T extends { readonly banned: boolean; readonly banExpires: Date | null }>(user: T) => ({
    ...user,
    bannedAt: user.banned ? new Date(0) : null,
    banExpiresAt: user.banExpires,
  })
  return {
    administration: {
      list: async (query: unknown) => users.adminListUsers({ query }),
      create: (_: unknown, body: unknown) => people.createUser({ body }),
      createLink: async (_: unknown, whom: string, body: unknown) => {
        const user = await userOf(whom)
        return { user, ...(await people.createRecoveryLink({ params: { id: user.id }, body })) }
      },
      setPassword: async (_: unknown, whom: string, newPassword: string, { replaces }: { readonly replaces: boolean }) => {
        const user = await userOf(whom)
        await people.setUserPassword({ body: { userId: user.id, newPassword, onlyIfNone: !replaces } })
        return user
      },
      update: (_: unknown, id: string, body: unknown) => users.adminPatchUser({ params: { id }, body }),
      setRole: async (_: unknown, whom: string, role: unknown) =>
        withBan((await people.setRole({ body: { userId: (await userOf(whom)).id, role } })).user),
      ban: async (_: unknown, whom: string, banReason: unknown, banExpiresIn: unknown) =>
        withBan((await people.banUser({ body: { userId: (await userOf(whom)).id, banReason, banExpiresIn } })).user),
      unban: async (_: unknown, whom: string) =>
        withBan((await people.unbanUser({ body: { userId: (await userOf(whom)).id } })).user),
      remove: async (_: unknown, whom: string) => {
        const user = await userOf(whom)
        await people.removeUser({ body: { userId: user.id } })
        return user
      },
      listSessions: async (_: unknown, whom: string) =>
        (await people.listUserSessions({ body: { userId: (await userOf(whom)).id } })).sessions,
      endSession: async (_: unknown, id: string) => void (await sessions.adminEndSession({ params: { id } })),
      endSessions: async (_: unknown, whom: string) => {
        const user = await userOf(whom)
        await people.revokeUserSessions({ body: { userId: user.id } })
        return user
      },
    },
    managedUsers: { require: userOf },
    users: { require: (_: unknown, named: string) => userOf(named) },
    factorAdministration: {
      get: (id: string) => factors.adminListFactors({ params: { id } }),
      remove: (_: unknown, id: string, factorId: string) => factors.adminRemoveFactor({ params: { id, factorId } }),
      removeAll: (_: unknown, id: string) => factors.adminRemoveFactors({ params: { id } }),
      require: (_: unknown, id: string, required: boolean) => factors.adminRequireFactor({ params: { id }, body: { required } }),
    },
    secondFactorRecovery: {
      cancelOfUser: (_: unknown, id: string) => recoveries.adminCancelSecondFactorRecovery({ params: { id } }),
    },
    claimExplanations: {
      ofUser: (_: unknown, query: object) =>
        claims.explainClaims({ query }).catch((error: unknown) => {
          // The API reports this error with a code of OAuth, `not_found`.
          if (error instanceof AppError && error.code === 'not_found')
            throw new AppError('CLIENT_NOT_FOUND', error.status, error.message)
          throw error
        }),
      ofOrganization: (_: unknown, organization: string) => claims.explainEntitlements({ query: { organization } }),
    },
    explanations: {
      explain: (_: unknown, query: unknown) => explanations.explainSignIn({ query }),
      listFailures: async (_: unknown, { user, ...query }: { readonly user?: string }) => {
        const userId = user === undefined ? undefined : (await userOf(user)).id
        const { failures: rows, next } = await explanations.listSignInFailures({ query: { ...query, userId } })
        return { rows, next }
      },
    },
  }
}
