import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import type { Settings } from '../../shared/api.ts'
import { checkIdentifier } from '../../shared/checks.ts'
import { Form, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { IdentifierField, takesNamesOf } from './identifier.tsx'

/** What the person has entered in the first step: the email address. If a password manager has filled in a password, too, it is included. */
export interface Address {
  readonly email: string
  readonly password: string
}

const fields = ['email', 'password'] as const

interface AddressFirstProps {
  readonly settings: Settings
  readonly foot: ReactNode
  readonly onAddress: (address: Address) => void
}

/**
 * The first step of a sign-in in two steps. It asks only for the email address. The server is not asked about the address, because the
 * next step is the same for every address.
 */
export const AddressFirst = ({ settings, foot, onAddress }: AddressFirstProps) => {
  const { api, typed } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const form = useForm({
    api,
    fields,
    check: ({ email }) => checkIdentifier({ email }, i18n, takesNamesOf(settings)),
    submit: async ({ email, password }) => {
      onAddress({ email: email.trim(), password })
      return 'leaving'
    },
  })
  useLayoutEffect(() => {
    if (form.ref.current !== null) typed?.into(form.ref.current)
  }, [form.ref, typed])
  return (
    <Form state={form} working={t('common.loading')} foot={foot}>
      <IdentifierField settings={settings} autoFocus error={form.errors.email} />
      {/* A password field for password managers, which fill in address and password together. They would misinterpret a form without
          it. */}
      <input
        className="visually-hidden"
        type="password"
        name="password"
        autoComplete="current-password"
        tabIndex={-1}
        aria-hidden="true"
      />
      <Button type="submit">{t('common.continue')}</Button>
    </Form>
  )
}
