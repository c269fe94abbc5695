import { useState } from 'react'
import { passkeyContract } from '../../../src/authentication/methods/passkey/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { Dialog } from '../../shared/dialog.tsx'
import { Field } from '../../shared/field.tsx'
import { Form, useForm } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { knowsPasskeys, makePasskey } from '../../shared/passkey.ts'
import { passkeyProblem } from '../../shared/passkey-problem.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { Confirm } from './confirm.tsx'
import { useAccount } from './context.ts'
import { OutcomeNotice, useAction, useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

export type Passkey = Answer<WireApi<typeof passkeyContract>['listUserPasskeys']>[number]

interface RowProps {
  readonly passkey: Passkey
  readonly isOnly: boolean
  readonly working: boolean
  readonly onRename: () => void
  readonly onRemove: () => void
}

const Row = ({ passkey, isOnly, working, onRename, onRemove }: RowProps) => {
  const { t, ago, date } = useI18n()
  const { name, createdAt, lastUsedAt, deviceType, userVerified } = passkey
  const facts = [
    t(userVerified ? (deviceType === 'multiDevice' ? 'passkeys.synced' : 'passkeys.oneDevice') : 'passkeys.secondStep'),
    t('passkeys.since', { date: date(createdAt) }),
    lastUsedAt === null ? t('passkeys.unused') : t('passkeys.used', { when: ago(lastUsedAt, new Date()) }),
  ]
  return (
    <li className="row">
      <span className="row-tile">
        <Icon name="key" />
      </span>
      <span className="row-text">
        <span className="row-title">
          {name}
          {isOnly ? <Badge tone="warn">{t('signInMethods.only')}</Badge> : null}
        </span>
        <span className="row-detail">
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
          {isOnly ? <span>{t('passkeys.onlyHint')}</span> : null}
        </span>
      </span>
      <span className="row-actions">
        <Button kind="quiet" name={t('passkeys.renameName', { name })} onClick={onRename}>
          {t('passkeys.rename')}
        </Button>
        {isOnly ? null : (
          <Button kind="secondary" working={working} name={t('passkeys.removeName', { name })} onClick={onRemove}>
            {t('passkeys.remove')}
          </Button>
        )}
      </span>
    </li>
  )
}

const nameFields = ['name'] as const

interface RenameProps {
  readonly passkey: Passkey
  readonly onClose: () => void
  readonly onRenamed: (name: string) => Promise<void>
}

const Rename = ({ passkey, onClose, onRenamed }: RenameProps) => {
  const { api } = useHosted()
  const { t } = useI18n()
  const form = useForm({
    api,
    fields: nameFields,
    check: ({ name }): { readonly name?: string } => (name.trim() === '' ? { name: t('problem.valueMissing') } : {}),
    submit: async (values) => {
      const name = values.name.trim()
      await api.of(passkeyContract).updatePasskey({ body: { id: passkey.id, name } })
      await onRenamed(name)
      return 'leaving'
    },
  })
  return (
    <Dialog title={t('passkeys.renameTitle')} onClose={onClose}>
      <Form state={form} working={t('common.saving')}>
        <Field
          name="name"
          label={t('field.name')}
          autoComplete="off"
          maxLength={100}
          defaultValue={passkey.name}
          hint={t('passkeys.nameHint')}
          error={form.errors.name}
          autoFocus
        />
        <div className="dialog-actions">
          <Button kind="secondary" onClick={onClose}>
            {t('common.cancel')}
          </Button>
          <Button type="submit" working={form.pending} blocked={form.waitSeconds > 0}>
            {t('common.save')}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

interface PasskeysPanelProps {
  readonly passkeys: readonly Passkey[]
  /** The id of the account's only sign-in method, which must not be removed. Undefined if the account has several. */
  readonly onlyId: string | undefined
  /** Called after a passkey was added, renamed or removed. */
  readonly onChange: () => Promise<void>
}

/** A panel with the person's passkeys and security keys: their names, where they are stored, and when they were last used. */
export const PasskeysPanel = ({ passkeys, onlyId, onChange }: PasskeysPanelProps) => {
  const { api } = useHosted()
  const i18n = useI18n()
  const { t } = i18n
  const { settings } = useAccount()
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [adding, setAdding] = useState(false)
  const [renaming, setRenaming] = useState<Passkey>()
  const [removing, setRemoving] = useState<Passkey>()
  const calls = api.of(passkeyContract)

  const add = async () => {
    setAdding(true)
    try {
      const { clientExtensionResults: _, ...response } = await makePasskey(await calls.generateRegisterOptions({ query: {} }))
      const { name } = await calls.verifyRegistration({ body: { response } })
      await onChange()
      outcome.showSuccess(t('passkeys.added', { name }))
    } catch (error) {
      const problem = passkeyProblem(error, api.retryAfterSeconds(), i18n)
      if (problem !== undefined) outcome.showProblem(problem)
    }
    setAdding(false)
  }
  const remove = (passkey: Passkey) => {
    setRemoving(undefined)
    const { id, name } = passkey
    const call = async () => {
      await calls.deletePasskey({ body: { id } })
      await onChange()
    }
    run(id, call, t('passkeys.removed', { name }))
  }
  if (!settings.passkeysEnabled && passkeys.length === 0) return null
  return (
    <Panel id="passkeys" title={t('passkeys.title')}>
      <p className="quiet panel-lead">{t('passkeys.lead')}</p>
      <OutcomeNotice of={outcome} />
      {passkeys.length === 0 ? null : (
        <ul className="rows">
          {passkeys.map((passkey) => (
            <Row
              key={passkey.id}
              passkey={passkey}
              isOnly={passkey.id === onlyId}
              working={busy === passkey.id}
              onRename={() => setRenaming(passkey)}
              onRemove={() => setRemoving(passkey)}
            />
          ))}
        </ul>
      )}
      {settings.passkeysEnabled ? (
        <div className={passkeys.length === 0 ? 'panel-action' : 'rows-foot'}>
          {knowsPasskeys() ? (
            <Button kind="secondary" icon="plus" working={adding} onClick={() => void add()}>
              {t('passkeys.add')}
            </Button>
          ) : (
            <p className="quiet">{t('passkeys.noBrowser')}</p>
          )}
        </div>
      ) : null}
      {renaming === undefined ? null : (
        <Rename
          passkey={renaming}
          onClose={() => setRenaming(undefined)}
          onRenamed={async (name) => {
            setRenaming(undefined)
            await onChange()
            outcome.showSuccess(t('passkeys.renamed', { name }))
          }}
        />
      )}
      {removing === undefined ? null : (
        <Confirm
          title={t('passkeys.removeTitle', { name: removing.name })}
          text={t('passkeys.removeText')}
          action={t('passkeys.remove')}
          onConfirm={() => remove(removing)}
          onCancel={() => setRemoving(undefined)}
        />
      )}
    </Panel>
  )
}
