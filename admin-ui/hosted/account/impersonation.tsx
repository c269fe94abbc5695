import { useState } from 'react'
import { impersonationContract } from '../../../src/authentication/impersonation/contract.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'

/** A notice in every section during an impersonation. It says when the impersonation ends, and has a button that ends it. */
export const Impersonation = () => {
  const { api } = useHosted()
  const { t, dateTime } = useI18n()
  const { user, session } = useAccount()
  const [isStopping, setStopping] = useState(false)
  if (session.impersonatedBy === null) return null
  const stop = async () => {
    setStopping(true)
    // If the impersonation has already ended, the person is sent to the same page as after ending it.
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
