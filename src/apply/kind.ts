import type { PermittedPrincipal } from '../access/principal.ts'
import type { Endpoints } from '../billing/index.ts'
import { AppError } from '../core/errors.ts'
import type { Oidc } from '../oidc/index.ts'
import type { OrganizationsWithin } from '../organizations/index.ts'
import type { DescribedChange, StoredSettings } from '../settings/index.ts'
import type { Declaration, ObjectKind } from './contract.ts'
import type { FieldChange, Form } from './rules.ts'
import type { AppliedRow } from './store.ts'

/** The settings of the database, as part of a transaction. */
export interface SettingsWithin {
  change(principal: PermittedPrincipal, wanted: ReadonlyMap<string, unknown>): Promise<readonly DescribedChange[]>
  read(): Promise<StoredSettings>
  /** True for a key whose value is a secret. */
  isSecret(name: string): boolean
}

/** The use cases of API and commands that a declaration is applied with, in one transaction. */
export interface Context {
  readonly principal: PermittedPrincipal
  readonly oidc: ReturnType<Oidc['within']> | undefined
  readonly organizations: OrganizationsWithin | undefined
  readonly endpoints: Endpoints | undefined
  readonly settings: SettingsWithin | undefined
  /** Called where a change lowers security: it needs a right of its own. */
  requireRightToLower(): void
  /** Of a secret, to see whether it is the one that was applied: another hash than that by which it authenticates. */
  hashOf(secret: string): string
}

/** An object after a declaration was applied to it. */
export interface Outcome {
  readonly id: string
  readonly action: 'create' | 'update' | 'unchanged'
  readonly fields: readonly FieldChange[]
  /** The declared fields as they are now. */
  readonly form: Form
  readonly secretHash: string | null
}

/** One object of a declaration. */
export interface Wanted {
  readonly key: string
  /** Where it stands in the declaration, for messages. */
  readonly path: string
  /** Makes it so. `known` is what an earlier declaration left. */
  apply(context: Context, known: AppliedRow | undefined): Promise<Outcome>
}

/** How objects of one kind are declared, read and removed. */
export interface Kind {
  readonly kind: ObjectKind
  wanted(declaration: Declaration): readonly Wanted[]
  /** Its present fields, in the form of the declaration; undefined when it is gone. */
  read(context: Context, row: AppliedRow): Promise<Form | undefined>
  /** The things that end with it, for the confirmation. */
  lost(context: Context, row: AppliedRow): Promise<string>
  remove(context: Context, row: AppliedRow): Promise<void>
}

/** Undefined when the work finds that there is no such thing. */
export const orNone = async <T>(work: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> =>
  work.catch((error: { readonly code?: string }) => {
    if (codes.includes(error.code ?? '')) return undefined
    throw error
  })

/** The refusal of one object names it. */
export const naming = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const told = error.issues?.map((issue) => `${issue.path}: ${issue.message}`) ?? [error.message]
    throw new AppError(error.code, error.status, `${path}: ${told.join('; ')}`)
  }
}
