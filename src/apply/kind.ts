import type { PermittedPrincipal } from '../access/principal.ts'
import type { Endpoints } from '../billing/index.ts'
import { AppError } from '../core/errors.ts'
import type { Oidc } from '../oidc/index.ts'
import type { OrganizationsWithin } from '../organizations/index.ts'
import type { DescribedChange, StoredSettings } from '../settings/index.ts'
import type { Declaration, ObjectKind } from './contract.ts'
import type { FieldChange, Form } from './rules.ts'
import type { AppliedRow } from './store.ts'

/** Settings of the database within a transaction. */
export interface SettingsWithin {
  change(principal: PermittedPrincipal, wanted: ReadonlyMap<string, unknown>): Promise<readonly DescribedChange[]>
  read(): Promise<StoredSettings>
  /** True for a key whose value is a secret. */
  isSecret(name: string): boolean
}

/** The use cases that apply a declaration in one transaction. The API and commands call the same ones. */
export interface Context {
  readonly principal: PermittedPrincipal
  readonly oidc: ReturnType<Oidc['within']> | undefined
  readonly organizations: OrganizationsWithin | undefined
  readonly endpoints: Endpoints | undefined
  readonly settings: SettingsWithin | undefined
  /** Called for a change that lowers security, which requires a further permission. */
  requireRightToLower(): void
  /** Hash of a secret, by which a later declaration recognises it. Authentication uses another hash. */
  hashOf(secret: string): string
}

/** What happened to an object that was declared. */
export interface Outcome {
  readonly id: string
  readonly action: 'create' | 'update' | 'unchanged'
  readonly fields: readonly FieldChange[]
  /** Current values of the declared fields. */
  readonly form: Form
  readonly secretHash: string | null
}

/** One declared object. */
export interface Wanted {
  readonly key: string
  /** Path in the declaration, for messages. */
  readonly path: string
  /** Creates or changes the object. `known` is its row from an earlier declaration. */
  apply(context: Context, known: AppliedRow | undefined): Promise<Outcome>
}

/** Declares, reads and removes objects of one kind. */
export interface Kind {
  readonly kind: ObjectKind
  wanted(declaration: Declaration): readonly Wanted[]
  /** Current fields in the form of the declaration; undefined for a deleted object. */
  read(context: Context, row: AppliedRow): Promise<Form | undefined>
  /** Names the things that are deleted with the object, for the confirmation. */
  lost(context: Context, row: AppliedRow): Promise<string>
  remove(context: Context, row: AppliedRow): Promise<void>
}

/** The result of the work, or undefined if it throws one of the codes, which say that the object does not exist. */
export const orNone = async <T>(work: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> =>
  work.catch((error: { readonly code?: string }) => {
    if (codes.includes(error.code ?? '')) return undefined
    throw error
  })

/** Puts the path of the object in front of the message when its declaration is refused. */
export const naming = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const told = error.issues?.map((issue) => `${issue.path}: ${issue.message}`) ?? [error.message]
    throw new AppError(error.code, error.status, `${path}: ${told.join('; ')}`)
  }
}
