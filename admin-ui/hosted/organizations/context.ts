import { createContext, use } from 'react'
import type { WireApi } from '../../../src/http/contract.ts'
import type { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { rolesOf } from '../../shared/organizations/panels.tsx'

type View = Answer<WireApi<typeof hostedOrganizationContract>['viewOrganization']>

/** The open organization, and the person's rights in it. */
export interface CurrentOrganization extends View {
  /** Loads the organization again. */
  readonly reload: () => Promise<void>
  readonly can: (resource: string, action: string) => boolean
  /** Returns whether the person may change or remove a member with these roles. */
  readonly canManage: (role: string) => boolean
  /** Roles that the person may assign. */
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
