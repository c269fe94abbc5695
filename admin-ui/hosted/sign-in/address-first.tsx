import type { ReactNode } from 'react'
import { useLayoutEffect } from 'react'
import type { Settings } from '../../shared/api.ts'
import { checkIdentifier } from '../../shared/checks.ts'
import { Form, useForm } from '../../shared/form.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { IdentifierField, takesNamesOf } from './identifier.tsx'

/** The input of the first step: the address, and the password if a password manager has filled it in. */
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

/** Asks only for the address. The next step is the same for every address, so the server is not asked. */
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
      {/* Password managers fill in address and password together. They would misinterpret a form without a password field. */}
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
