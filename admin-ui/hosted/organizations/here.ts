import { createContext, use, useState } from 'react'
import type { Api } from '../../../src/http/contract.ts'
import type { hostedOrganizationContract } from '../../../src/organizations/hosted/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { explain } from '../../shared/explain.ts'
import { useI18n } from '../../shared/text.tsx'
import type { Told } from '../account/told.tsx'
import { useHosted } from '../context.tsx'
import { rolesOf } from './roles.tsx'

type View = Answer<Api<typeof hostedOrganizationContract>['viewOrganization']>

/** The organization whose pages are open, and what the server lets the person do there. */
export interface Here extends View {
  /** Asks the server again. */
  readonly reload: () => Promise<void>
  readonly may: (resource: string, action: string) => boolean
  /** Whether the person may change or remove who has these roles. */
  readonly mayHandle: (role: string) => boolean
  /** Roles the person may give. */
  readonly givable: readonly string[]
}

export const hereOf = (view: View, reload: () => Promise<void>): Here => {
  const notMine = view.roles.flatMap(({ name, mayHandle }) => (mayHandle ? [] : [name]))
  return {
    ...view,
    reload,
    may: (resource, action) => view.permissions[resource]?.includes(action) === true,
    mayHandle: (role) => !rolesOf(role).some((name) => notMine.includes(name)),
    givable: view.roles.flatMap(({ name, mayGive }) => (mayGive ? [name] : [])),
  }
}

export const HereContext = createContext<Here | undefined>(undefined)

export const useHere = (): Here => {
  const here = use(HereContext)
  if (here === undefined) throw new Error('a page of an organization outside of HereContext')
  return here
}

/** Says something on the page that one is led to. */
export const LeadContext = createContext<(path: string, said: string, how?: 'replace') => void>(() => undefined)

/** Does one thing at a time and says what came of it. `busy` names what is being done. */
export const useAct = (told: Told) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [busy, setBusy] = useState<string>()
  const act = async (what: string, call: () => Promise<unknown>, said?: string) => {
    if (busy !== undefined) return
    setBusy(what)
    try {
      await call()
      if (said === undefined) told.clear()
      else told.say(said)
    } catch (error) {
      const { form } = explain(error, [], api.retryAfterSeconds(), i18n)
      if (form !== undefined) told.refuse(form)
    }
    setBusy(undefined)
  }
  return { busy, act: (...input: Parameters<typeof act>) => void act(...input) }
}
