import type { Db } from '../../../core/db/database.ts'
import { bind, documented } from '../../../http/handlers.ts'
import type { Users } from '../service.ts'
import { userNameContract, userNameDocumentation } from './contract.ts'

export const userNameRoutes = (db: Db, users: Pick<Users, 'names' | 'findByName'>) =>
  bind(documented(userNameContract, userNameDocumentation), {
    isUsernameAvailable: async (_principal, { body }) => {
      users.names.requireOn()
      const name = users.names.require(body.username)
      return { available: !users.names.isReserved(name) && (await users.findByName(db, name)) === undefined }
    },
  })
