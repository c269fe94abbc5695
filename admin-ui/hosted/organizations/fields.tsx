import type { ReactNode } from 'react'
import { isPictureUrl } from '../../../src/core/web.ts'
import { FieldFrame } from '../../shared/field.tsx'
import type { I18n } from '../../shared/i18n.ts'
import { isSlug } from '../../shared/parsing.ts'

interface AreaFieldProps {
  readonly name: string
  readonly label: string
  readonly error: string | undefined
  readonly hint: ReactNode
}

/** A text field with several lines. */
export const AreaField = ({ name, label, error, hint }: AreaFieldProps) => (
  <FieldFrame label={label} error={error} hint={hint}>
    {(control) => (
      <textarea name={name} rows={3} autoCapitalize="none" autoComplete="off" spellCheck={false} aria-required {...control} />
    )}
  </FieldFrame>
)

/** Checks the fields of an organization in the browser, without a call. */
export const checkOrganization = (
  { name, slug, logo }: { readonly name: string; readonly slug: string; readonly logo: string },
  { t }: I18n,
) => ({
  ...(name.trim() === '' ? { name: t('org.nameMissing') } : {}),
  ...(isSlug(slug.trim().toLowerCase()) ? {} : { slug: t('org.slugInvalid') }),
  ...(logo.trim() === '' || isPictureUrl(logo.trim()) ? {} : { logo: t('problem.pictureInvalid') }),
})

/** The form field to which each error about the slug belongs, by error code. */
export const slugCodes = { ORGANIZATION_ALREADY_EXISTS: 'slug', SLUG_IS_TAKEN: 'slug' } as const
