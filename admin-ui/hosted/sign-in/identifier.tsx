import { useEffect } from 'react'
import type { Settings } from '../../shared/api.ts'
import { Field, type FieldProps } from '../../shared/field.tsx'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useAddTexts, useI18n } from '../../shared/text.tsx'

export const takesNamesOf = ({ userNames }: Settings) => userNames.mode !== 'off'

/** Browsers with passkeys offer them in the address field. */
const addressFill = ({ passkeysEnabled }: Settings) => (passkeysEnabled && knowsPasskeys() ? 'username webauthn' : 'username')

interface IdentifierFieldProps extends Pick<FieldProps, 'defaultValue' | 'error'> {
  readonly settings: Settings
  readonly autoFocus: boolean
}

/** The address, or with user names one of the two. */
export const IdentifierField = ({ settings, ...field }: IdentifierFieldProps) => {
  const { t, catalogues } = useI18n()
  const addTexts = useAddTexts()
  const takesNames = takesNamesOf(settings)
  // Its texts are not loaded without user names.
  useEffect(() => {
    if (takesNames) addTexts('userNames').catch(() => undefined)
  }, [takesNames, addTexts])
  return (
    <Field
      name="email"
      type={takesNames ? 'text' : 'email'}
      label={t(catalogues.includes('userNames') ? 'field.emailOrName' : 'field.email')}
      autoComplete={addressFill(settings)}
      {...field}
    />
  )
}
