// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.26;

/// @title Settles several EIP-3009 authorizations in one transaction, none of which can harm another
/// @notice Anybody may call it: it holds nothing, owns nothing and keeps nothing, and moves only what payers have
/// signed. Each transfer has a gas limit of its own and fails alone. What proves a payment are the token's events.
contract BatchSettler {
    /// @dev The nine arguments of `transferWithAuthorization`, and what the payer's account must be.
    struct Item {
        address from;
        address to;
        uint256 value;
        uint256 validAfter;
        uint256 validBefore;
        bytes32 nonce;
        uint8 v;
        bytes32 r;
        bytes32 s;
        /// Zero: the payer's account must have no code. Otherwise the hash of the code it must have.
        bytes32 codeHash;
    }

    /// @notice The caller gave too little gas for the item with this index; nothing was paid.
    error NotEnoughGas(uint256 index);
    /// @notice More items than the result has bits.
    error TooManyItems(uint256 count);

    /// @notice Pays each item that can be paid.
    /// @param token a token with EIP-3009
    /// @param gasEach what the transfer of one item may use
    /// @param items at most 256
    /// @return paid bit i is set where the token took item i
    function settle(address token, uint256 gasEach, Item[] calldata items) external returns (uint256 paid) {
        if (items.length > 256) revert TooManyItems(items.length);
        assembly ("memory-safe") {
            let data := mload(0x40)
            // transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)
            mstore(data, shl(224, 0xe3ee160e))
            let item := items.offset
            for { let i := 0 } lt(i, items.length) { i := add(i, 1) } {
                let isAsPlanned := 0
                switch calldataload(add(item, 288))
                case 0 { isAsPlanned := iszero(extcodesize(calldataload(item))) }
                default { isAsPlanned := eq(extcodehash(calldataload(item)), calldataload(add(item, 288))) }
                if isAsPlanned {
                    // A call is never given more than 63/64 of what is left, whatever it asks for (EIP-150).
                    if lt(sub(gas(), shr(6, gas())), add(gasEach, 200)) {
                        mstore(0, shl(224, 0x5e31f860)) // NotEnoughGas(uint256)
                        mstore(4, i)
                        revert(0, 36)
                    }
                    calldatacopy(add(data, 4), item, 288)
                    // Nothing of what comes back is read, however much it is.
                    if call(gasEach, token, 0, data, 292, 0, 0) { paid := or(paid, shl(i, 1)) }
                }
                item := add(item, 320)
            }
        }
    }
}
