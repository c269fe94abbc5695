import { useState } from 'react'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { Field } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { AdministeredUser } from './users.tsx'

/**
 * A form for the user's name and email address. If somebody else has changed the user meanwhile, the form shows the other values beside
 * the typed ones.
 */
const Form = ({ user, onClose }: { readonly user: AdministeredUser; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [first] = useState(user)
  const [name, setName] = useState(user.name)
  const [email, setEmail] = useState(user.email)
  const change = useChange(userAdministrationContract, 'adminPatchUser', t('console.form.saved'))
  const [isVerified, setIsVerified] = useState(false)
  const isMoved = email.trim() !== first.email
  const body = {
    ...(name.trim() === first.name ? {} : { name: name.trim() }),
    ...(isMoved ? { email: email.trim() } : {}),
    ...(isVerified && (isMoved || !first.emailVerified) ? { emailVerified: true } : {}),
  }
  const input = { params: { id: user.id }, body }
  const now = (typed: string, before: string, present: string) =>
    present === before || present === typed ? '' : t('console.changed.now', { value: present })
  return (
    <Confirm
      title={t('people.editOf', { name: first.name })}
      consequences={isMoved && !isVerified ? [t('people.emailUnverified')] : []}
      action={t('console.form.save')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={userAdministrationContract.adminPatchUser}
          input={input}
          command={[
            ...['update-user', '--user', first.email],
            ...(body.name === undefined ? [] : ['--name', body.name]),
            ...(body.email === undefined ? [] : ['--email', body.email]),
            ...(body.emailVerified === undefined ? [] : ['--verified']),
          ]}
        />
      }
      onConfirm={(reason, _, isOverwriting) =>
        change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    >
      <Field
        name="name"
        label={t('people.name')}
        hint={now(name, first.name, user.name)}
        value={name}
        maxLength={100}
        autoComplete="off"
        onValue={setName}
      />
      <Field
        name="email"
        type="email"
        label={t('people.email')}
        hint={now(email, first.email, user.email)}
        value={email}
        autoComplete="off"
        onValue={setEmail}
      />
      {isMoved || !first.emailVerified ? (
        <label className="check">
          <input type="checkbox" checked={isVerified} onChange={({ currentTarget }) => setIsVerified(currentTarget.checked)} />
          {t('people.takeVerified')} <span className="who-detail">{t('people.takeVerifiedHint')}</span>
        </label>
      ) : null}
    </Confirm>
  )
}

/** A dialog that marks the email address of a user as verified. */
const VerifyDialog = ({ user, onClose }: { readonly user: AdministeredUser; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const [first] = useState(user)
  const change = useChange(userAdministrationContract, 'adminPatchUser', t('people.verified', { email: first.email }))
  const input = { params: { id: first.id }, body: { emailVerified: true } }
  return (
    <Confirm
      title={t('people.verifyOf', { email: first.email })}
      consequences={[t('people.verifyMeans'), t('people.verifyGives')]}
      action={t('people.verify')}
      isDangerous={false}
      reason="optional"
      foot={
        <ShowCall
          target={userAdministrationContract.adminPatchUser}
          input={input}
          command={['update-user', '--user', first.email, '--verified']}
        />
      }
      onConfirm={(reason, _, isOverwriting) =>
        change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    />
  )
}

/** A button to mark the user's email address as verified. Renders nothing if the address is verified. */
export const VerifyAddress = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  if (user.emailVerified) return null
  return (
    <>
      <ActionButton permission="users:set-password" onClick={() => setIsOpen(true)}>
        {t('people.verify')}
      </ActionButton>
      {isOpen ? <VerifyDialog user={user} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}

/** A button that opens the form for the user's name and email address. */
export const EditProfile = ({ user }: { readonly user: AdministeredUser }) => {
  const { t } = useI18n()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <ActionButton permission="users:update" onClick={() => setIsOpen(true)}>
        {t('people.edit')}
      </ActionButton>
      {isOpen ? <Form user={user} onClose={() => setIsOpen(false)} /> : null}
    </>
  )
}
