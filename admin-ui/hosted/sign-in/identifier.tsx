import { useEffect } from 'react'
import type { Settings } from '../../shared/api.ts'
import { Field, type FieldProps } from '../../shared/field.tsx'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useAddTexts, useI18n } from '../../shared/text.tsx'

export const takesNamesOf = ({ userNames }: Settings) => userNames.mode !== 'off'

/** The value of `autocomplete`. Browsers that support passkeys offer them in the address field. */
const addressFill = ({ passkeysEnabled }: Settings) => (passkeysEnabled && knowsPasskeys() ? 'username webauthn' : 'username')

interface IdentifierFieldProps extends Pick<FieldProps, 'defaultValue' | 'error'> {
  readonly settings: Settings
  readonly autoFocus: boolean
}

/** The field for an address, or for an address or user name if users have names. */
export const IdentifierField = ({ settings, ...field }: IdentifierFieldProps) => {
  const { t, catalogues } = useI18n()
  const addTexts = useAddTexts()
  const takesNames = takesNamesOf(settings)
  // The texts about user names are loaded only if users have names.
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
