// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Settles several EIP-3009 authorizations in one transaction, none of which can harm another
/// @notice Anyone may call it: it holds, owns and stores nothing, and makes only transfers that payers have signed.
/// Each transfer has its own gas limit and fails alone. The token's events prove a payment.
contract BatchSettler {
    /// @dev The memory position of the token's call; Solidity uses no memory there or after it.
    uint256 private constant CALL = 0x80;

    /// @notice The caller supplied too little gas for the item with this index; nothing was paid.
    error NotEnoughGas(uint256 index);
    /// @notice More items than the result has bits; nothing was paid.
    error TooManyItems(uint256 count);
    /// @notice The last item does not end where the bytes end, or a kind is neither 0 nor 1; nothing was paid.
    error MalformedItems();

    /// @notice Pays each item that can be paid.
    /// @dev An item is 166 bytes, or 198 if it has a hash, and the next follows immediately. Numbers are big-endian.
    ///
    ///     bytes
    ///        20  from
    ///         1  kind: 0, the payer's account must have no code; 1, it must have code with this hash
    ///        32  the hash, of kind 1 only
    ///        20  to
    ///        16  value
    ///         6  validAfter
    ///         6  validBefore
    ///        32  nonce
    ///         1  v
    ///        32  r
    ///        32  s
    ///
    /// @param token a token with EIP-3009
    /// @param gasEach the gas limit of one item's transfer
    /// @param items at most 256
    /// @return paid bit i is set if the token accepted item i
    function settle(address token, uint256 gasEach, bytes calldata items) external returns (uint256 paid) {
        // A call never gets more than 63/64 of the remaining gas, whatever it requests (EIP-150). The rest is for the
        // preceding costs: the first call of a token in a transaction costs 2,600.
        uint256 gasNeeded = gasEach + gasEach / 63 + 3_000;
        uint256 count;
        uint256 item;
        uint256 end;
        assembly {
            item := items.offset
            end := add(item, items.length)
            // The call is a selector and nine words. Reading past the calldata yields the zeros before short numbers;
            // they stay, because each item is copied over the previous one.
            calldatacopy(CALL, calldatasize(), 292)
            // transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
            mstore(CALL, shl(224, 0xe3ee160e))
            for { } lt(item, end) {
                item := add(item, 166)
                count := add(count, 1)
            } {
                let isAsPlanned
                {
                    let head := calldataload(item)
                    let from := shr(96, head)
                    mstore(add(CALL, 4), from)
                    switch byte(20, head)
                    case 0 { isAsPlanned := iszero(extcodesize(from)) }
                    case 1 {
                        isAsPlanned := eq(extcodehash(from), calldataload(add(item, 21)))
                        // The following fields then have the same distance from `item` as without a hash.
                        item := add(item, 32)
                    }
                    default {
                        mstore(0, shl(224, 0x2eef74f0)) // MalformedItems()
                        revert(0, 4)
                    }
                }
                if isAsPlanned {
                    if lt(gas(), gasNeeded) {
                        mstore(0, shl(224, 0x5e31f860)) // NotEnoughGas(uint256)
                        mstore(4, count)
                        revert(0, 36)
                    }
                    calldatacopy(add(CALL, 48), add(item, 21), 20) // to
                    calldatacopy(add(CALL, 84), add(item, 41), 16) // value
                    calldatacopy(add(CALL, 126), add(item, 57), 6) // validAfter
                    calldatacopy(add(CALL, 158), add(item, 63), 38) // validBefore, nonce
                    calldatacopy(add(CALL, 227), add(item, 101), 65) // v, r, s
                    // No returned data is read, however long it is.
                    paid := or(paid, shl(count, call(gasEach, token, 0, CALL, 292, 0, 0)))
                }
            }
        }
        // Checked once, at the end: a revert undoes all of the above.
        if (item != end) revert MalformedItems();
        if (count > 256) revert TooManyItems(count);
    }
}
