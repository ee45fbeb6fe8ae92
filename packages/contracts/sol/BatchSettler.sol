// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Settles several EIP-3009 authorizations in one transaction, none of which can harm another
/// @notice Anybody may call it: it holds nothing, owns nothing and keeps nothing, and moves only what payers have
/// signed. Each transfer has a gas limit of its own and fails alone. What proves a payment are the token's events.
contract BatchSettler {
    /// @dev Where in memory the call of the token is made; Solidity has put nothing there or behind it.
    uint256 private constant CALL = 0x80;

    /// @notice The caller gave too little gas for the item with this index; nothing was paid.
    error NotEnoughGas(uint256 index);
    /// @notice More items than the result has bits; nothing was paid.
    error TooManyItems(uint256 count);
    /// @notice The last item does not end where the bytes end, or a kind is neither 0 nor 1; nothing was paid.
    error MalformedItems();

    /// @notice Pays each item that can be paid.
    /// @dev An item is 166 bytes, or 198 where it has a hash, and the next follows at once. Numbers are big-endian.
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
    /// @param gasEach what the transfer of one item may use
    /// @param items at most 256
    /// @return paid bit i is set where the token took item i
    function settle(address token, uint256 gasEach, bytes calldata items) external returns (uint256 paid) {
        // A call is never given more than 63/64 of what is left, whatever it asks for (EIP-150). The rest is for what
        // comes before that: a call of a token that was not touched yet costs 2,600.
        uint256 gasNeeded = gasEach + gasEach / 63 + 3_000;
        uint256 count;
        uint256 item;
        uint256 end;
        assembly {
            item := items.offset
            end := add(item, items.length)
            // The call is a selector and nine words. Reading behind the calldata gives the zeros before short numbers; they
            // stay, because each item is copied over the one before.
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
                        // What follows is then as far from `item` as without a hash.
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
                    // Nothing of what comes back is read, however much it is.
                    paid := or(paid, shl(count, call(gasEach, token, 0, CALL, 292, 0, 0)))
                }
            }
        }
        // Looked at once, at the end: it undoes all of the above.
        if (item != end) revert MalformedItems();
        if (count > 256) revert TooManyItems(count);
    }
}
