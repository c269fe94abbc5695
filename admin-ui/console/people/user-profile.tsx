import { useId, useState } from 'react'
import { userAdministrationContract } from '../../../src/identity/users/administration/contract/users.ts'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import type { AdministeredUser } from './users.tsx'

/** The form for name and address. What somebody else has changed meanwhile stands beside what was typed. */
const Form = ({ user, onClose }: { readonly user: AdministeredUser; readonly onClose: () => void }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const id = useId()
  const [first] = useState(user)
  const [name, setName] = useState(user.name)
  const [email, setEmail] = useState(user.email)
  const change = useChange(userAdministrationContract, 'adminPatchUser', t('console.form.saved'))
  const body = {
    ...(name.trim() === first.name ? {} : { name: name.trim() }),
    ...(email.trim() === first.email ? {} : { email: email.trim() }),
  }
  const input = { params: { id: user.id }, body }
  const now = (typed: string, before: string, present: string) =>
    present === before || present === typed ? '' : t('console.changed.now', { value: present })
  return (
    <Confirm
      title={t('people.editOf', { name: first.name })}
      consequences={email.trim() === first.email ? [] : [t('people.emailUnverified')]}
      action={t('console.form.save')}
      isDangerous={false}
      reason="optional"
      foot={<ShowCall target={userAdministrationContract.adminPatchUser} input={input} />}
      onConfirm={(reason, _, isOverwriting) =>
        change({ ...input, reason, ...(isOverwriting ? {} : { ifMatch: api.etagOf(first) }) })
      }
      onClose={onClose}
    >
      <div className="field">
        <label htmlFor={`${id}-name`}>{t('people.name')}</label>
        <input
          id={`${id}-name`}
          value={name}
          maxLength={100}
          autoComplete="off"
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <div className="field-message">{now(name, first.name, user.name)}</div>
      </div>
      <div className="field">
        <label htmlFor={`${id}-email`}>{t('people.email')}</label>
        <input
          id={`${id}-email`}
          type="email"
          value={email}
          autoComplete="off"
          onChange={({ currentTarget }) => setEmail(currentTarget.value)}
        />
        <div className="field-message">{now(email, first.email, user.email)}</div>
      </div>
    </Confirm>
  )
}

/** Changes name and address. */
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
