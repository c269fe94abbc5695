import { AppError } from '../../../core/errors.ts'
import { anyState } from '../../../core/etag.ts'
import { bind } from '../../../http/handlers.ts'
import { userErrors } from '../errors.ts'
import { userAdministrationContract } from './contract.ts'
import type { UserAdministration } from './service.ts'

/** Better Auth's calls name a user who is not there by the code of the account API. */
const asUserNotFound = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work
  } catch (error) {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? userErrors.error('USER_NOT_FOUND', { status: 404 }) : error
  }
}

export const userAdministrationRoutes = (administration: UserAdministration) =>
  bind(userAdministrationContract, {
    adminListUsers: async (_, { query }) => {
      const { users, next } = await administration.list(query)
      return { users: [...users], next }
    },
    adminGetUser: (_, { params }) => administration.get(params.id),
    adminPatchUser: (principal, { params, body, ifMatch }) => administration.update(principal, params.id, body, ifMatch),
    listUsers: async (_, { query }) => {
      const { users, total } = await administration.listUsers(query)
      const { limit, offset } = query
      return { users: [...users], total, ...(limit ? { limit } : {}), ...(offset ? { offset } : {}) }
    },
    getUser: (_, { query }) => asUserNotFound(administration.get(query.id)),
    adminUpdateUser: (principal, { body }) => {
      if (Object.keys(body.data).length === 0) throw userErrors.error('NO_DATA_TO_UPDATE')
      return asUserNotFound(administration.update(principal, body.userId, body.data, anyState))
    },
  })
