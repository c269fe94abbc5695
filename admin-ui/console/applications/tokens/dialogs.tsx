import { useState } from 'react'
import { ApiError } from '../../../../src/http/client.ts'
import type { WireApi } from '../../../../src/http/contract.ts'
import { initialAccessTokenContract } from '../../../../src/oidc/initial-access-tokens/contract.ts'
import type { Answer } from '../../../shared/api.ts'
import { Dialog } from '../../../shared/dialog.tsx'
import { Field, SelectField } from '../../../shared/field.tsx'
import { useI18n } from '../../../shared/text.tsx'
import { Button, Notice } from '../../../shared/ui.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { CopyField } from '../../shared/copy-field.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import { useChange } from '../../shared/use-change.ts'
import { wordsOf } from '../addresses.ts'
import { LinesField } from '../fields.tsx'
import '../../shared/permission-picker.css'

export type Token = Answer<WireApi<typeof initialAccessTokenContract>['revokeInitialAccessToken']>

const types = ['web', 'spa', 'native', 'machine'] as const
const days = ['7', '1', '30', '365'] as const
const daySeconds = 86_400

/** The words in a field as a list. An empty field gives null, which means that every value is allowed. */
const boundOf = (text: string) => {
  const words = wordsOf(text)
  return words.length === 0 ? null : [...words]
}

interface TokenInput {
  readonly name: string
  readonly types: readonly string[]
  readonly scopes: readonly string[] | null
  readonly redirectHosts: readonly string[] | null
  readonly maxClients: number
  readonly expiresInSeconds: number
}

const flagsOf = ({ name, types: chosen, scopes, redirectHosts, maxClients, expiresInSeconds }: TokenInput) => [
  ...['--name', name, ...chosen.flatMap((type) => ['--type', type])],
  ...(scopes ?? []).flatMap((scope) => ['--scope', scope]),
  ...(redirectHosts ?? []).flatMap((host) => ['--redirect-host', host]),
  ...['--max-clients', String(maxClients), '--expires-in-days', String(expiresInSeconds / daySeconds)],
]

interface CreateProps {
  /** Called with the token in plain text, which the server does not store. */
  readonly onMade: (value: string) => void
  readonly onClose: () => void
}

/** A dialog that makes an initial access token, with which programs register applications. */
export const CreateToken = ({ onMade, onClose }: CreateProps) => {
  const { t } = useI18n()
  const [scopes, setScopes] = useState('')
  const [hosts, setHosts] = useState('')
  const create = useChange(initialAccessTokenContract, 'createInitialAccessToken')
  const bodyOf = (form: FormData) => {
    const name = String(form.get('name') ?? '').trim()
    return {
      ...{ name, types: form.getAll('types').map(String), maxClients: Number(form.get('max')) },
      ...{ scopes: boundOf(scopes), redirectHosts: boundOf(hosts) },
      expiresInSeconds: Number(form.get('days')) * daySeconds,
    }
  }
  return (
    <Confirm
      title={t('clients.tokenNew')}
      consequences={[]}
      action={t('clients.tokenNew')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          of={({ form }) => {
            const body = bodyOf(form)
            return {
              target: initialAccessTokenContract.createInitialAccessToken,
              input: { body },
              command: ['create-initial-access-token', ...flagsOf(body)],
            }
          }}
        />
      }
      onConfirm={async (reason, form) => {
        const body = bodyOf(form)
        if (body.name === '') throw new ApiError(400, 'NAME_MISSING', t('clients.tokenNameMissing'))
        onMade((await create({ body, reason })).value)
      }}
      onClose={onClose}
    >
      <Field name="name" label={t('clients.tokenName')} autoComplete="off" maxLength={200} autoFocus />
      <fieldset className="permissions">
        <legend>{t('clients.tokenTypes')}</legend>
        <div className="permission-list">
          {types.map((type) => (
            <label key={type} className="permission">
              <input type="checkbox" name="types" value={type} defaultChecked={type !== 'machine'} />
              {t(`clients.kind.${type}`)}
            </label>
          ))}
        </div>
      </fieldset>
      <LinesField
        name="hosts"
        label={t('clients.tokenHosts')}
        hint={t('clients.tokenHostsHint')}
        value={hosts}
        placeholder="shop.example.com"
        onValue={setHosts}
      />
      <LinesField
        name="scopes"
        label={t('clients.tokenScopes')}
        hint={t('clients.tokenScopesHint')}
        value={scopes}
        onValue={setScopes}
      />
      <Field
        name="max"
        label={t('clients.tokenMax')}
        hint={t('clients.tokenMaxHint')}
        type="number"
        autoComplete="off"
        defaultValue="1"
      />
      <SelectField
        name="days"
        label={t('clients.tokenDays')}
        defaultValue={days[0]}
        options={days.map((value) => ({ value, text: t(`clients.tokenDays.${value}`) }))}
      />
    </Confirm>
  )
}

/** A dialog that shows a new initial access token. It is shown only once. */
export const TokenShown = ({ value, onClose }: { readonly value: string; readonly onClose: () => void }) => {
  const { t } = useI18n()
  return (
    <Dialog title={t('clients.tokenMade')} onClose={onClose}>
      <div className="call">
        <Notice tone="wait">{t('clients.tokenOnce', { address: '/oauth2/register' })}</Notice>
        <CopyField label={t('clients.registeredBy.initial-access-token')} value={value} />
      </div>
      <div className="dialog-actions">
        <Button onClick={onClose}>{t('clients.tokenClose')}</Button>
      </div>
    </Dialog>
  )
}

/** A dialog that revokes an initial access token. */
export const RevokeToken = ({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const revoke = useChange(initialAccessTokenContract, 'revokeInitialAccessToken', t('clients.tokenRevoked'))
  const params = { tokenId: token.id }
  return (
    <Confirm
      title={t('clients.tokenRevokeTitle', { name: token.name })}
      consequences={[t('clients.tokenRevokeFollows'), t('clients.tokenRevokeKept')]}
      action={t('clients.tokenRevoke')}
      reason="optional"
      onConfirm={(reason) => revoke({ params, reason })}
      onClose={onClose}
      foot={
        <ShowCall
          target={initialAccessTokenContract.revokeInitialAccessToken}
          input={{ params }}
          command={['revoke-initial-access-token', token.id]}
        />
      }
    />
  )
}
