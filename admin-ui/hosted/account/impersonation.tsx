import { useState } from 'react'
import { impersonationContract } from '../../../src/authentication/impersonation/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'

/** Shown in every section during an impersonation: when it ends, and a button to end it. */
export const Impersonation = () => {
  const { api } = useHosted()
  const { t, dateTime } = useI18n()
  const { user, session } = useAccount()
  const [isStopping, setStopping] = useState(false)
  if (session.impersonatedBy === null) return null
  const stop = async () => {
    setStopping(true)
    // If the impersonation has ended meanwhile, the person gets to the same page.
    await api
      .of(impersonationContract)
      .stopImpersonating()
      .catch(() => undefined)
    location.assign(`/admin/users/${user.id}`)
  }
  const values = { name: <strong className="break">{user.name}</strong>, date: <strong>{dateTime(session.expiresAt)}</strong> }
  return (
    <section className="due" aria-label={t('impersonation.title')}>
      <Icon name="alert" />
      <p role="status">
        <Text id="impersonation.text" values={values} />
      </p>
      <Button working={isStopping} onClick={() => void stop()}>
        {t('impersonation.stop')}
      </Button>
    </section>
  )
}
