import { bind } from '../../http/handlers.ts'
import { testSignInContract } from './contract.ts'
import type { TestSignIns } from './service.ts'

/** The endpoints for test sign-ins of administrators. */
export const testSignInRoutes = ({ start, finish }: TestSignIns) =>
  bind(testSignInContract, {
    startTestSignIn: (principal, { params }) => start(principal, params.clientId),
    finishTestSignIn: (principal, { params, body }) => finish(principal, params.id, body.code),
  })
