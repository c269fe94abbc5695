import { bind, documented } from '../../http/handlers.ts'
import { bearerOf } from '../../http/identify.ts'
import { limitAddress } from '../../http/origin.ts'
import { registrationContract } from './contract.ts'
import { registrationDocumentation } from './documentation.ts'
import type { Registration } from './service.ts'

export const registrationRoutes = (registration: Registration) =>
  bind(documented(registrationContract, registrationDocumentation), {
    registerClient: (principal, { body, headers }) =>
      registration.register(principal, { token: bearerOf(headers), networkKey: limitAddress(principal.address) }, body),
    readClient: (_principal, { params, headers }) => registration.read(params.clientId, bearerOf(headers)),
    replaceClient: (principal, { params, body, headers }) =>
      registration.replace(principal, params.clientId, bearerOf(headers), body),
    removeClient: async (principal, { params, headers }) => {
      await registration.remove(principal, params.clientId, bearerOf(headers))
      return undefined
    },
  })
