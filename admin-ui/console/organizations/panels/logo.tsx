import { useRef, useState } from 'react'
import { logoAdministrationContract } from '../../../../src/organizations/logo/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { AppTile } from '../../../shared/ui.tsx'
import { useConsole } from '../../api.ts'
import { ActionButton } from '../../shared/action-button.tsx'
import { useProblem } from '../../shared/failure.tsx'
import { useChange } from '../../shared/use-change.ts'
import { useNotify } from '../../shared/use-notify.ts'
import { useUndo } from '../../shared/use-undo.tsx'
import type { Organization } from '../parts.tsx'

/** Image formats that the file dialog offers. The server checks the bytes of the file. */
const accepted = 'image/png,image/jpeg,image/webp,image/gif,image/avif'
const longest = 5_000_000

/** The logo of an organization, with buttons to change it. */
export const LogoRow = ({ organization }: { readonly organization: Organization }) => {
  const { t } = useI18n()
  const { api } = useConsole()
  const notify = useNotify()
  const problemOf = useProblem()
  const undo = useUndo()
  const input = useRef<HTMLInputElement>(null)
  const [isWorking, setIsWorking] = useState(false)
  const set = useChange(logoAdministrationContract, 'adminSetOrganizationLogo', t('organizations.logoSaved'))
  const remove = useChange(logoAdministrationContract, 'adminRemoveOrganizationLogo')
  const { id, name, logo } = organization
  const params = { id }
  const upload = async (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > longest) return notify(t('organizations.logoTooLarge'), 'bad')
    setIsWorking(true)
    try {
      await set({ params, body: file, ifMatch: api.etagOf(organization) })
    } catch (error) {
      notify(problemOf(error), 'bad')
    } finally {
      setIsWorking(false)
    }
  }
  return (
    <span className="logo-row">
      <AppTile name={name} logo={logo} />
      <input
        ref={input}
        type="file"
        accept={accepted}
        aria-label={t('organizations.logo')}
        hidden
        onChange={(event) => {
          void upload(event.currentTarget.files?.[0])
          // After this, choosing the same file again causes a `change` event again.
          event.currentTarget.value = ''
        }}
      />
      <ActionButton permission="all-organizations:update" working={isWorking} onClick={() => input.current?.click()}>
        {t('organizations.logoChoose')}
      </ActionButton>
      {logo === null ? null : (
        <ActionButton
          permission="all-organizations:update"
          onClick={() => undo(t('organizations.logoRemoving', { name }), () => remove({ params }))}
        >
          {t('organizations.remove')}
        </ActionButton>
      )}
    </span>
  )
}
