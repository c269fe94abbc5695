import type { IncomingHttpHeaders } from 'node:http'
import type { RequestContext } from '../../core/request-context.ts'
import { bind, documented } from '../../http/handlers.ts'
import { bearerOf } from '../../http/identify.ts'
import { limitAddress } from '../../http/origin.ts'
import { registrationContract, registrationDocumentation } from './contract.ts'
import type { Call, Registration } from './service.ts'

const callOf = ({ address }: RequestContext, headers: IncomingHttpHeaders): Call => ({
  ...{ token: bearerOf(headers), networkKey: limitAddress(address) },
})

export const registrationRoutes = (registration: Registration) =>
  bind(documented(registrationContract, registrationDocumentation), {
    registerClient: (principal, { body, headers }) => registration.register(principal, callOf(principal, headers), body),
    readClient: (_principal, { params, headers }) => registration.read(params.clientId, bearerOf(headers)),
    replaceClient: (principal, { params, body, headers }) =>
      registration.replace(principal, params.clientId, callOf(principal, headers), body),
    removeClient: async (principal, { params, headers }) => {
      await registration.remove(principal, params.clientId, bearerOf(headers))
      return undefined
    },
  })
