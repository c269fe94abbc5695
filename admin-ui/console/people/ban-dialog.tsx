import { useState } from 'react'
import { administrationContract } from '../../../src/identity/users/administration/contract/actions.ts'
import { SelectField } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Confirm } from '../shared/confirm.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { useChange } from '../shared/use-change.ts'
import { SessionCount } from './counts.tsx'
import type { AdministeredUser } from './users.tsx'

/** The offered lengths of a ban in seconds. Each has the key of its text. With the length 0, the ban lasts until somebody lifts it. */
export const banDurations = [
  ['0', 'forever'],
  ['3600', 'hour'],
  ['86400', 'day'],
  ['604800', 'week'],
  ['2592000', 'month'],
] as const
/** The lengths of bans as the command's flag expects them. */
export const commandTimes: Readonly<Record<string, string>> = { '3600': '1h', '86400': '1d', '604800': '7d', '2592000': '30d' }

/** The properties that all dialogs about a user share. */
export interface UserDialogProps {
  readonly user: AdministeredUser
  readonly onClose: () => void
}

/** Bans a user, either for some time or until somebody lifts the ban. */
export const BanDialog = ({ user, onClose }: UserDialogProps) => {
  const { t } = useI18n()
  const [seconds, setSeconds] = useState('0')
  const ban = useChange(administrationContract, 'banUser', t('people.bannedDone', { name: user.name }))
  const body = { userId: user.id, ...(seconds === '0' ? {} : { banExpiresIn: Number(seconds) }) }
  const time = commandTimes[seconds]
  return (
    <Confirm
      title={t('people.banOf', { name: user.name })}
      consequences={[<SessionCount key="sessions" user={user} />, t('people.tokensEnd'), t('people.banQuiet')]}
      action={t('people.ban')}
      reason="required"
      foot={
        <ShowCall
          of={({ reason }) => ({
            target: administrationContract.banUser,
            input: { body: { ...body, ...(reason === '' ? {} : { banReason: reason }) } },
            command: ['ban-user', '--user', user.email, ...(time === undefined ? [] : ['--for', time])],
          })}
        />
      }
      onConfirm={(reason) => ban({ body: { ...body, banReason: reason }, reason })}
      onClose={onClose}
    >
      <SelectField
        name="for"
        label={t('people.banFor')}
        value={seconds}
        options={banDurations.map(([value, name]) => ({ value, text: t(`people.banFor.${name}`) }))}
        onValue={setSeconds}
      />
    </Confirm>
  )
}
