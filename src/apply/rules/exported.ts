import { isDeepStrictEqual } from 'node:util'
import { exportedLists } from '../calls/contract.ts'
import { commandLineId, DeclaredApi, DeclaredClient, declarationSections, type ObjectKind, unsaidOfClient } from '../contract.ts'

export { declarationSections, exportedLists }
export type Section = (typeof declarationSections)[number]

type Fields = Readonly<Record<string, unknown>>

/** The kinds of objects that each section contains. */
export const kindsOf: Readonly<Record<Section, readonly ObjectKind[]>> = {
  ...{ settings: ['setting'], organizations: ['organization', 'team'] },
  ...{ clients: ['client'], apis: ['api'], webhookEndpoints: ['endpoint'] },
}

/** A reference that keeps the stored secret. Each call returns a new object, because YAML would write a shared object as an alias. */
export const kept = () => ({ keepSecret: true }) as const

/** Returns only the fields whose values differ from the values that they get if a declaration omits them. All others need not be written. */
const said = (names: readonly string[], object: Fields, unsaid: Fields): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (isDeepStrictEqual(object[name] ?? null, unsaid[name] ?? null) ? [] : [[name, object[name]]])),
  )

const clientNames = Object.keys(DeclaredClient.shape).filter((name) => !/^(secret|keepSecret|name$)/.test(name))
const apiNames = Object.keys(DeclaredApi.shape).filter((name) => name !== 'name')
const unsaidOfApi: Fields = DeclaredApi.parse({ name: 'unsaid' })

/** True if an operator registered the application. Any other application registered itself or is part of gatehouse. */
export const isDeclarable = ({ registeredBy, clientId }: { readonly registeredBy: string; readonly clientId: string }): boolean =>
  registeredBy === 'administrator' && clientId !== commandLineId

interface Client extends Fields {
  readonly name: string
  readonly type: string
  readonly authMethod: string | null
}

/** An application as a declaration contains it. */
export const declaredClient = (client: Client): Fields => {
  const hasSecret = /^(web|machine)$/.test(client.type) && client.authMethod !== 'private_key_jwt'
  return { name: client.name, ...said(clientNames, client, unsaidOfClient), ...(hasSecret ? kept() : {}) }
}

/** An API as a declaration contains it. */
export const declaredApi = (api: Fields & { readonly name: string }): Fields => ({
  name: api.name,
  ...said(apiNames, api, unsaidOfApi),
})

/** An organization as a declaration contains it. */
export const declaredOrganization = (organization: Fields): Fields =>
  said(['name', 'logo', 'metadata', 'teams'], organization, { teams: [] })
