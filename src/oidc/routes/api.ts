import { AppError } from '../../core/errors.ts'
import { bind, Redirect, type Reply } from '../../http/handlers.ts'
import type { Clients } from '../clients/service.ts'
import { oidcContract } from '../contract.ts'
import { oidcErrors } from '../errors.ts'
import type { Interactions } from '../interactions/service.ts'
import type { BrowserBinding } from './binding.ts'

interface Deps {
  readonly interactions: Interactions
  readonly clients: Clients
  readonly binding: BrowserBinding
  readonly url: string
}

/** The JSON calls of the hosted pages and the specification's client details. */
export const oidcRoutes = ({ interactions, clients, binding, url }: Deps) => {
  const own = (reply: Reply) => binding.read(reply.cookie(binding.cookieName))
  /** The sign-in a page names, if this browser began it. */
  const requireOwn = (reply: Reply, uid: string): string => {
    if (!own(reply).includes(uid)) throw oidcErrors.refuse('INTERACTION_NOT_FOUND')
    return uid
  }

  return bind(oidcContract, {
    interaction: (caller, { params, reply }) => interactions.details(caller, requireOwn(reply, params.uid)),
    resume: async (caller, { params, reply }) => {
      try {
        return new Redirect(await interactions.resume(caller, requireOwn(reply, params.uid)))
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        const description =
          'This sign-in has expired or belongs to another browser. Go back to the application and sign in again.'
        return new Redirect(`/error?${new URLSearchParams({ error: error.code.toLowerCase(), error_description: description })}`)
      }
    },
    consent: async (caller, { body, reply }) => {
      const uid = body.interaction ?? own(reply)[0] ?? ''
      if (!own(reply).includes(uid)) throw oidcErrors.refuse('NO_CONSENT_PROMPT_FOUND')
      return { redirectURI: url + (await interactions.decide(caller, uid, body.accept)) }
    },
    selectAccount: async (caller, { body, reply }) => ({
      redirectURI: url + (await interactions.selectAccount(caller, requireOwn(reply, body.interaction))),
    }),
    chooseOrganization: async (caller, { body, reply }) => {
      const uid = requireOwn(reply, body.interaction ?? own(reply)[0] ?? '')
      return { redirectURI: url + (await interactions.choose(caller, uid, body.organizationId)) }
    },
    client: async (_caller, { params }) => {
      const client = await clients.find(params.id)
      if (client === undefined) throw oidcErrors.refuse('CLIENT_NOT_FOUND')
      return { clientId: client.clientId, name: client.name, icon: client.icon }
    },
  })
}
