import { createContext, use } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { rolesOf } from '../../shared/organizations/panels.tsx'

type View = Answer<WireApi<typeof hostedOrganizationContract>['viewOrganization']>

/** The organization whose page is shown, and what the person may do in it. */
export interface CurrentOrganization extends View {
  /** Loads the organization again. */
  readonly reload: () => Promise<void>
  readonly can: (resource: string, action: string) => boolean
  /** Returns whether the person may change or remove a member who has these roles. */
  readonly canManage: (role: string) => boolean
  /** The roles that the person may give to members. */
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

/** Provides a function that goes to another page and shows a message there. */
export const RedirectContext = createContext<(path: string, message: string, mode?: 'replace') => void>(() => undefined)
