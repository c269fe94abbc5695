import { useState } from 'react'
import { Dialog } from '../../shared/dialog.tsx'
import { Field, SelectField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import type { Value } from '../settings/draft.ts'
import { CopyField } from '../shared/copy-field.tsx'
import type { BuiltIn } from './providers.tsx'

const other = 'other'

interface AddProviderProps {
  readonly builtIn: readonly BuiltIn[]
  /** Ids that are already used by other identity providers. */
  readonly taken: readonly string[]
  /** Called with the settings that enable the identity provider. */
  readonly onDone: (settings: Readonly<Record<string, Value>>) => void
  readonly onClose: () => void
}

/**
 * A form for the client id and secret that a provider has issued. The person selects a built-in provider, or enters any other that
 * supports OpenID Connect.
 */
export const AddProvider = ({ builtIn, taken, onDone, onClose }: AddProviderProps) => {
  const { t } = useI18n()
  const offered = builtIn.filter(({ id }) => !taken.includes(id))
  const [chosen, setChosen] = useState(offered[0]?.id ?? other)
  const [own, setOwn] = useState({ id: '', name: '', issuer: '' })
  const [client, setClient] = useState({ id: '', secret: '' })
  const [isChecked, setIsChecked] = useState(false)
  const isOther = chosen === other
  const id = isOther ? own.id.trim() : chosen
  const isIdWrong = !/^[a-z0-9][a-z0-9_-]{0,31}$/.test(id) || id === 'credential' || taken.includes(id)
  const redirectUri = offered.find((one) => one.id === chosen)?.redirectUri ?? `${location.origin}/callback/${id || '…'}`
  const missing = (value: string) => (isChecked && value.trim() === '' ? t('ways.missing') : undefined)
  const finish = () => {
    setIsChecked(true)
    const isComplete = client.id.trim() !== '' && (!isOther || (!isIdWrong && own.issuer.trim() !== ''))
    if (!isComplete) return
    const values = {
      clientId: client.id.trim(),
      ...(client.secret === '' ? {} : { clientSecret: client.secret }),
      ...(isOther ? { issuer: own.issuer.trim(), ...(own.name.trim() === '' ? {} : { name: own.name.trim() }) } : {}),
    }
    onDone(Object.fromEntries(Object.entries(values).map(([name, value]) => [`social.${id}.${name}`, value])))
  }
  return (
    <Dialog title={t('ways.providerAdd')} onClose={onClose}>
      <form
        className="confirm"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          finish()
        }}
      >
        <SelectField
          name="provider"
          label={t('ways.provider')}
          value={chosen}
          options={[
            ...offered.map((one) => ({ value: one.id, text: one.name })),
            { value: other, text: t('ways.providerOther') },
          ]}
          onValue={setChosen}
        />
        {isOther ? (
          <>
            <Field
              name="id"
              label={t('ways.providerId')}
              autoComplete="off"
              hint={t('ways.providerIdHint')}
              error={isChecked && isIdWrong ? t('ways.providerIdWrong') : undefined}
              onValue={(value) => setOwn((before) => ({ ...before, id: value }))}
            />
            <Field
              name="issuer"
              type="url"
              label={t('ways.address.issuer')}
              autoComplete="off"
              hint="https://id.example.com"
              error={missing(own.issuer)}
              onValue={(value) => setOwn((before) => ({ ...before, issuer: value }))}
            />
            <Field
              name="name"
              label={t('ways.providerName')}
              autoComplete="off"
              onValue={(value) => setOwn((before) => ({ ...before, name: value }))}
              isOptional
            />
          </>
        ) : null}
        <CopyField label={t('ways.callback')} value={redirectUri} />
        <p className="field-message">{t('ways.callbackText')}</p>
        <Field
          name="clientId"
          label={t('ways.clientId')}
          autoComplete="off"
          error={missing(client.id)}
          onValue={(value) => setClient((before) => ({ ...before, id: value }))}
        />
        <Field
          name="clientSecret"
          label={t('ways.clientSecret')}
          autoComplete="off"
          onValue={(value) => setClient((before) => ({ ...before, secret: value }))}
          isOptional
        />
        <div className="dialog-actions">
          <Button kind="secondary" onClick={onClose}>
            {t('console.confirm.cancel')}
          </Button>
          <Button type="submit">{t('setting.review')}</Button>
        </div>
      </form>
    </Dialog>
  )
}
