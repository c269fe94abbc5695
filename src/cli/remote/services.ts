import type { App } from '../../composition.ts'
import { systemClock } from '../../core/clock.ts'
import { createRemedies } from '../../core/remedies.ts'
import { UsageError } from '../../core/terminal.ts'
import type { Send } from '../../http/client.ts'
import { localOnly } from './refusals.ts'
import { applicationServices } from './services/applications.ts'
import { billingServices } from './services/billing.ts'
import { instanceServices } from './services/instance.ts'
import { findOrganizations, organizationServices } from './services/organizations.ts'
import { findPeople, peopleServices } from './services/people.ts'

/**
 * The services that commands use, for an instance on another machine. Each function makes an API call, and returns what the service would
 * return on the machine of the database. The command's own principal is ignored, because the instance checks what its caller may do.
 */
const remoteServices = (send: Send, instance: string) => {
  const userOf = findPeople(send)
  const organizationOf = findOrganizations(send)
  return {
    core: { clock: systemClock, remedies: createRemedies(['--remote', instance]) },
    config: { url: instance },
    ...peopleServices(send, userOf),
    ...organizationServices(send, instance, userOf, organizationOf),
    ...instanceServices(send),
    oidc: applicationServices(send),
    billing: billingServices(send),
  }
}

const refuse = (): never => {
  throw new UsageError(localOnly)
}

/** Stands for a service for which the API has no calls. Any use of it throws. */
const absent: object = new Proxy(refuse, { get: (_, name) => (name === 'then' ? undefined : absent) })

const withAbsent = (services: object): object =>
  new Proxy(services, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name)
      if (found === undefined) return name === 'then' ? undefined : absent
      return typeof found === 'object' && found !== null ? withAbsent(found) : found
    },
  })

/** An application object that commands can use like a local one, although the instance is on another machine. */
export const remoteApp = (send: Send, instance: string): App => withAbsent(remoteServices(send, instance)) as App
