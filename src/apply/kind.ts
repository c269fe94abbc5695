import type { PermittedPrincipal } from '../access/principal.ts'
import type { Endpoints } from '../billing/index.ts'
import { AppError } from '../core/errors.ts'
import type { Oidc } from '../oidc/index.ts'
import type { OrganizationsWithin } from '../organizations/index.ts'
import type { DescribedChange, StoredSettings } from '../settings/index.ts'
import type { Declaration, ObjectKind } from './contract.ts'
import type { FieldChange, Form } from './rules.ts'
import type { AppliedRow } from './store.ts'

/** Reads and changes the settings in the database within a transaction. */
export interface SettingsWithin {
  change(principal: PermittedPrincipal, wanted: ReadonlyMap<string, unknown>): Promise<readonly DescribedChange[]>
  read(): Promise<StoredSettings>
  /** True if the setting's value is a secret. */
  isSecret(name: string): boolean
}

/** The use cases with which a declaration is applied in one transaction. API calls and commands use the same use cases. */
export interface Context {
  readonly principal: PermittedPrincipal
  readonly oidc: ReturnType<Oidc['within']> | undefined
  readonly organizations: OrganizationsWithin | undefined
  readonly endpoints: Endpoints | undefined
  readonly settings: SettingsWithin | undefined
  /** Called before a change that lowers security. Throws if the principal lacks the permission for such changes. */
  requireRightToLower(): void
  /**
   * Returns a hash of a secret. The hash is stored, and shows whether a later declaration contains the same secret. It cannot be used for
   * authentication.
   */
  hashOf(secret: string): string
}

/** What applying the declaration did to one object. */
export interface Outcome {
  readonly id: string
  readonly action: 'create' | 'update' | 'unchanged'
  readonly fields: readonly FieldChange[]
  /** The values of the declared fields after the declaration was applied. */
  readonly form: Form
  readonly secretHash: string | null
}

/** An object that the declaration contains. */
export interface Wanted {
  readonly key: string
  /** Where the declaration contains the object, for error messages. */
  readonly path: string
  /** Creates or updates the object. `known` is the stored row about the object if an earlier declaration contained it. */
  apply(context: Context, known: AppliedRow | undefined): Promise<Outcome>
}

/** How objects of one kind are declared, read and deleted. */
export interface Kind {
  readonly kind: ObjectKind
  wanted(declaration: Declaration): readonly Wanted[]
  /** Reads the current values of the fields that a declaration can contain. Undefined if the object was deleted. */
  read(context: Context, row: AppliedRow): Promise<Form | undefined>
  /** Returns a text that names what is deleted together with the object. The operator sees it before confirming. */
  lost(context: Context, row: AppliedRow): Promise<string>
  remove(context: Context, row: AppliedRow): Promise<void>
}

/**
 * Returns the result of `work`. If `work` throws an error with one of the given codes, the object does not exist, and the result is
 * undefined.
 */
export const orNone = async <T>(work: Promise<T>, ...codes: readonly string[]): Promise<T | undefined> =>
  work.catch((error: { readonly code?: string }) => {
    if (codes.includes(error.code ?? '')) return undefined
    throw error
  })

/** Does the work. If it throws an error, the object's path in the declaration is put in front of the message. */
export const naming = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const told = error.issues?.map((issue) => `${issue.path}: ${issue.message}`) ?? [error.message]
    throw new AppError(error.code, error.status, `${path}: ${told.join('; ')}`)
  }
}
