import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'

const isUnverified = (error: unknown) => error instanceof ApiError && error.code === 'ADDRESS_IS_NOT_VERIFIED'

/**
 * For changes that the server refuses if the user's email address is unverified. After a refusal, `field` is a checkbox with which the
 * administrator allows the change anyway. `asked` runs the change, `body` and `flags` say in the call and in the command that the
 * checkbox is set, and `forget` clears it when another user is chosen.
 */
export const useUnverified = () => {
  const { t } = useI18n()
  const [isRefused, setIsRefused] = useState(false)
  const [isAllowed, setIsAllowed] = useState(false)
  return {
    body: isAllowed ? { unverified: true } : {},
    flags: isAllowed ? ['--unverified'] : [],
    asked: async <T,>(change: Promise<T>): Promise<T> => {
      try {
        return await change
      } catch (error) {
        if (isUnverified(error)) setIsRefused(true)
        throw error
      }
    },
    forget: () => {
      setIsRefused(false)
      setIsAllowed(false)
    },
    field: isRefused ? (
      <label className="check">
        <input
          type="checkbox"
          name="unverified"
          checked={isAllowed}
          onChange={({ currentTarget }) => setIsAllowed(currentTarget.checked)}
        />
        {t('organizations.unverified')}
      </label>
    ) : null,
  }
}
