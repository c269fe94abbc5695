import { useEffect } from 'react'
import type { Settings } from '../../shared/api.ts'
import { Field, type FieldProps } from '../../shared/field.tsx'
import { knowsPasskeys } from '../../shared/passkey.ts'
import { useAddTexts, useI18n } from '../../shared/text.tsx'

export const takesNamesOf = ({ userNames }: Settings) => userNames.mode !== 'off'

/** The value of `autocomplete` of the address field. With it, browsers that support passkeys offer them in the field. */
const addressFill = ({ passkeysEnabled }: Settings) => (passkeysEnabled && knowsPasskeys() ? 'username webauthn' : 'username')

interface IdentifierFieldProps extends Pick<FieldProps, 'defaultValue' | 'error'> {
  readonly settings: Settings
  readonly autoFocus: boolean
}

/** The field for an email address. If users have user names, it also takes a user name. */
export const IdentifierField = ({ settings, ...field }: IdentifierFieldProps) => {
  const { t, catalogues } = useI18n()
  const addTexts = useAddTexts()
  const takesNames = takesNamesOf(settings)
  // Texts about user names are loaded only if users have user names.
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
