import { isDeepStrictEqual } from 'node:util'
import { exportedLists } from '../calls/contract.ts'
import { commandLineId, DeclaredApi, DeclaredClient, declarationSections, type ObjectKind, unsaidOfClient } from '../contract.ts'

export { declarationSections, exportedLists }
export type Section = (typeof declarationSections)[number]

type Fields = Readonly<Record<string, unknown>>

/** Kinds of the objects in a section. */
export const kindsOf: Readonly<Record<Section, readonly ObjectKind[]>> = {
  ...{ settings: ['setting'], organizations: ['organization', 'team'] },
  ...{ clients: ['client'], apis: ['api'], webhookEndpoints: ['endpoint'] },
}

/** Keeps the stored secret. Each call returns a new object, because YAML would write a shared one as an alias. */
export const kept = () => ({ keepSecret: true }) as const

/** The fields whose values differ from those that a declaration means by omitting them. Only these fields have to be written. */
const said = (names: readonly string[], object: Fields, unsaid: Fields): Fields =>
  Object.fromEntries(
    names.flatMap((name) => (isDeepStrictEqual(object[name] ?? null, unsaid[name] ?? null) ? [] : [[name, object[name]]])),
  )

const clientNames = Object.keys(DeclaredClient.shape).filter((name) => !/^(secret|keepSecret|name$)/.test(name))
const apiNames = Object.keys(DeclaredApi.shape).filter((name) => name !== 'name')
const unsaidOfApi: Fields = DeclaredApi.parse({ name: 'unsaid' })

/** True for an application that an operator registered. Other applications registered themselves or are part of gatehouse. */
export const isDeclarable = ({ registeredBy, clientId }: { readonly registeredBy: string; readonly clientId: string }): boolean =>
  registeredBy === 'administrator' && clientId !== commandLineId

interface Client extends Fields {
  readonly name: string
  readonly type: string
  readonly authMethod: string | null
}

/** An application in the form of a declaration. */
export const declaredClient = (client: Client): Fields => {
  const hasSecret = /^(web|machine)$/.test(client.type) && client.authMethod !== 'private_key_jwt'
  return { name: client.name, ...said(clientNames, client, unsaidOfClient), ...(hasSecret ? kept() : {}) }
}

/** An API in the form of a declaration. */
export const declaredApi = (api: Fields & { readonly name: string }): Fields => ({
  name: api.name,
  ...said(apiNames, api, unsaidOfApi),
})

/** An organization in the form of a declaration. */
export const declaredOrganization = (organization: Fields): Fields =>
  said(['name', 'logo', 'metadata', 'teams'], organization, { teams: [] })
