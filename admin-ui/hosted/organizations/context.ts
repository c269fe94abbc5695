import { createContext, use, useState } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { errorMessages } from '../../shared/error-messages.ts'
import { useI18n } from '../../shared/text.tsx'
import type { Outcome } from '../account/outcome.tsx'
import { useHosted } from '../context.tsx'
import { rolesOf } from './roles.tsx'

type View = Answer<WireApi<typeof hostedOrganizationContract>['viewOrganization']>

/** The organization whose pages are open, and what the server lets the person do there. */
export interface CurrentOrganization extends View {
  /** Asks the server again. */
  readonly reload: () => Promise<void>
  readonly can: (resource: string, action: string) => boolean
  /** Whether the person may change or remove who has these roles. */
  readonly canManage: (role: string) => boolean
  /** Roles the person may give. */
  readonly assignableRoles: readonly string[]
}

export const currentOrganizationOf = (view: View, reload: () => Promise<void>): CurrentOrganization => {
  const notManageable = view.roles.flatMap(({ name, canManage }) => (canManage ? [] : [name]))
  return {
    ...view,
    reload,
    can: (resource, action) => view.permissions[resource]?.includes(action) === true,
    canManage: (role) => !rolesOf(role).some((name) => notManageable.includes(name)),
    assignableRoles: view.roles.flatMap(({ name, canAssign }) => (canAssign ? [name] : [])),
  }
}

export const OrganizationContext = createContext<CurrentOrganization | undefined>(undefined)

export const useOrganization = (): CurrentOrganization => {
  const organization = use(OrganizationContext)
  if (organization === undefined) throw new Error('a page of an organization outside of OrganizationContext')
  return organization
}

/** Goes to another page and shows a message there. */
export const RedirectContext = createContext<(path: string, message: string, mode?: 'replace') => void>(() => undefined)

/** Runs one call at a time and shows its outcome. `busy` names the call that runs. */
export const useAction = (outcome: Outcome) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [busy, setBusy] = useState<string>()
  const run = async (what: string, call: () => Promise<unknown>, message?: string) => {
    if (busy !== undefined) return
    setBusy(what)
    try {
      await call()
      if (message === undefined) outcome.clear()
      else outcome.showSuccess(message)
    } catch (error) {
      const { form } = errorMessages(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) outcome.showProblem(form)
    }
    setBusy(undefined)
  }
  return { busy, run: (...input: Parameters<typeof run>) => void run(...input) }
}
